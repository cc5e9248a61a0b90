#define CATCH_CONFIG_RUNNER  // Catch2 2: the runner is compiled here, once
#include "catch.hpp"

int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
