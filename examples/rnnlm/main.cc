// The singa command with the layers of this folder in it.
#include "singa/driver/driver.h"

int main(int argc, char** argv) { return singa::Driver().Main(argc, argv); }
