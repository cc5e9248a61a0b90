// Matching allocates nothing, and the rules are there before the program starts.
#include <cstdlib>
#include <new>

#include "catch.hpp"
#include "twill/symbolic.hpp"

namespace tw = twill;

#ifndef __SANITIZE_ADDRESS__  // which brings operators of its own
namespace {
long allocations = 0;
}

// In this program every allocation is counted.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

TEST_CASE("matching allocates nothing") {
  tw::graph g;
  const tw::uop i = g.var("i", 0, 31), j = g.var("j", -5, 63), flat = (i * 64 + j) * 8 + i;
  const tw::uop roots[] = {flat / 512 % 8, (flat % 8 < 3) & (flat / 8 < 100), tw::max(flat, j * -1), tw::where(i < 3, flat, j)};
  const tw::rule_view rules = tw::symbolic.view();
  long matches = 0;
  const long before = allocations;
  for (const tw::uop& root : roots)
    for (tw::u32 id = 0; id <= root.id; ++id)
      for (size_t r = 0; r < rules.count; ++r) {
        if ((rules.rules[r].types >> static_cast<unsigned>(g.at(id).type.kind) & 1) == 0) continue;
        for (tw::search s(rules, rules.rules[r], g, id); s.next();) ++matches;
      }
  const long during = allocations - before;
  CHECK(during == 0);
  CHECK(matches > 10);
}
#endif

// A constant: nothing runs at the start of a program.
static constinit const tw::rule_view first_view = tw::symbolic.view();
TEST_CASE("rules are constants") { CHECK(first_view.count == tw::symbolic.size()); }
