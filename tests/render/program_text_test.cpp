#include "twill/render/program_text.hpp"

#include "catch.hpp"
#include "lower/sample_programs.hpp"

using namespace samples;

static_assert(program_text(view_of(vector_add().code)).contains("%1[a0 a1] = LOAD.float32 b1[16 %0 + 8 a0 + a1]"));

TEST_CASE("program text") {
  const text t = program_text(view_of(softmax_rows().code));
  CHECK(t.contains("b2: local float32 x 21\n"));
  CHECK(t.contains("a1: lanes 8, 5 active\n"));
  CHECK(t.contains("%0 = RANGE 3, parallel from 0\n"));
  CHECK(t.contains("  %2[a0] = DEFINE_ACC.float32 -inf\n"));
  CHECK(t.contains("    %4[a0] = LOAD.float32 b1[21 %0 + 8 %3 + a0]\n"));
  CHECK(t.contains("  %8 = REDUCE_AXIS.float32 MAX[a0] %2\n"));
  CHECK(program_text(view_of(padded().code)).contains("if %"));
}
