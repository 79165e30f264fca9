#include "singa/driver/plugin.h"

SINGA_PLUGIN();
