// The singa command with the Gate layer and the Sign updater in it.
#include "singa/driver/driver.h"

int main(int argc, char** argv) { return singa::Driver().Main(argc, argv); }
