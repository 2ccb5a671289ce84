// The program of tests that start servers: of the one that STAGECRAFT_PROGRAM names.
#define CATCH_CONFIG_RUNNER
#define CATCH_CONFIG_CONSOLE_WIDTH 100
#include "catch.h"
#include "support/open_files.h"

int main(int argument_count, char** arguments) {
  stagecraft::testing::raise_open_files();
  return Catch::Session().run(argument_count, arguments);
}
