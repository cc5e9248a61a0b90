// Trackers lowered to expressions: they evaluate to what the tracker says.
#include "catch.hpp"
#include "reference.hpp"
#include "twill/shape/index.hpp"

namespace tw = twill;
using tw::i64;

namespace {

// The value of every node, for integer index expressions.
tw::vector<i64> evaluate(const tw::graph& g, const tw::vector<tw::uop>& variables, const tw::vector<i64>& values) {
  tw::vector<i64> out(g.size());
  for (tw::u32 id = 0; id < g.size(); ++id) {
    const tw::uop u{const_cast<tw::graph*>(&g), id};
    const auto source = [&](size_t i) { return out[u.source(i).id]; };
    switch (u.code()) {
      case tw::op::CONST: out[id] = u.argument(0); break;
      case tw::op::DEFINE_VAR:
        for (size_t i = 0; i < variables.size(); ++i)
          if (variables[i] == u) out[id] = values[i];
        break;
      case tw::op::ADD: out[id] = source(0) + source(1); break;
      case tw::op::MUL: out[id] = source(0) * source(1); break;
      case tw::op::IDIV: out[id] = source(0) / source(1); break;
      case tw::op::MOD: out[id] = source(0) % source(1); break;
      case tw::op::CMPLT: out[id] = source(0) < source(1); break;
      case tw::op::CMPNE: out[id] = source(0) != source(1); break;
      case tw::op::AND: out[id] = source(0) & source(1); break;
      default: FAIL("an op that index expressions do not use");
    }
  }
  return out;
}

struct lowered {
  tw::graph g;
  tw::vector<tw::uop> at;
  tw::indexed result;
  explicit lowered(const tw::shapetracker& st) {
    const char* names[]{"a", "b", "c", "d", "e", "f"};
    for (size_t i = 0; i < st.rank(); ++i) at.push_back(g.var(names[i], 0, i64(st.shape()[i]) - 1, tw::int64));
    result = tw::to_indexed(g, st, tw::span<const tw::uop>(at));
  }
};

}  // namespace

TEST_CASE("index expressions evaluate to the tracker's map") {
  int masked = 0;
  for (tw::u64 seed = 1; seed <= 1500; ++seed) {
    reference::random r{seed * 0x9e3779b97f4a7c15u};
    for (int i = 0; i < 4; ++i) r.below(2);
    const tw::shape base = reference::some_shape(r, r.between(1, 24), 4);
    reference::pair p{tw::shapetracker(base), reference::map::contiguous(base)};
    for (int i = 0; i < 8; ++i) reference::step(r, p, 100);
    const tw::shape s = p.expected.shape;
    if (s.elements() == 0) continue;
    const lowered l(p.tracker);
    INFO(p.tracker);
    masked += l.result.valid ? 1 : 0;
    for (i64 i = 0; i < s.elements(); ++i) {
      const auto point = reference::unravel(i, s);
      const auto values = evaluate(l.g, l.at, tw::vector<i64>(tw::span<const i64>(point)));
      const bool valid = l.result.valid == tw::uop() || values[l.result.valid.id] != 0;
      REQUIRE((valid ? values[l.result.index.id] : -1) == p.expected.reads[static_cast<size_t>(i)]);
    }
  }
  CHECK(masked > 100);
}

TEST_CASE("index expressions are built plain") {
  {
    lowered l(tw::shapetracker(4, 8));
    CHECK(l.result.index == l.at[0] * 8 + l.at[1]);
    CHECK(l.result.valid == tw::uop());
  }
  {
    lowered l(tw::shapetracker(1, 8).expand(4, 8));
    CHECK(l.result.index == l.at[1]);
  }
  {
    lowered l(tw::shapetracker{4}.pad({{2, 2}}));
    CHECK(l.result.index == l.at[0] + -2);
    CHECK(l.result.valid == ((l.at[0] >= 2) & (l.at[0] < 6)));
  }
  {
    lowered l(tw::shapetracker(4, 8).permute(1, 0).reshape(32));
    CHECK(l.result.index == l.at[0] / 4 + l.at[0] % 4 * 8);
  }
  {
    lowered l(tw::shapetracker{4}.pad({{2, 0}}).shrink({{0, 2}}));
    CHECK(l.result.index.is_constant(0));
    CHECK(l.result.valid.is_constant(0));
  }
  {
    lowered l{tw::shapetracker()};
    CHECK(l.result.index.is_constant(0));
  }
}

static_assert([] {
  tw::graph g;
  const tw::uop i = g.var("i", 0, 31, tw::int64);
  const auto [index, valid] = tw::to_indexed(g, tw::shapetracker(4, 8).permute(1, 0).reshape(32), {i});
  return index == i / 4 + i % 4 * 8 && valid == tw::uop();
}());
