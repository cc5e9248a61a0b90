// Random programs: emitted C++, many kernels to a translation unit, computes the interpreter's bits.
// TWILL_TEST_PROGRAMS and TWILL_TEST_SEED as in agreement_test.cpp.
#include <cstdio>

#include "catch.hpp"
#include "pipeline/runs.hpp"
#include "runtime/scratch.hpp"
#include "twill/render/cpp.hpp"
#include "twill/runtime/module.hpp"

using namespace pipeline;

namespace {

// Kernels gathered into one text: the types and functions that each brings along are in a namespace of its own.
class batch {
 public:
  text add(const program& p, bool may_alias) {
    text symbol("k");
    symbol << count_;
    source_ << "namespace n" << count_ << " {\n" << render_cpp(view_of(p), symbol, may_alias) << "}\n";
    ++count_;
    return symbol;
  }
  size_t size() const { return count_; }
  load_result load(const text& symbol) const { return load_or_compile(source_, symbol); }
  const text& source() const { return source_; }

 private:
  text source_;
  size_t count_ = 0;
};

struct compiled {
  std::unique_ptr<random_program> made;
  prepared ready;
  std::vector<text> symbols;
};

text emitted_problem(const batch& b, const recorder& r, span<const u32> outputs, const std::vector<argument>& arguments, const prepared& p, const std::vector<text>& symbols, u64 seed) {
  text out;
  std::vector<kernel_entry> entries;
  for (const text& s : symbols) {
    const load_result loaded = b.load(s);
    if (!loaded) return out << "not compiled: " << loaded.message, out;
    entries.push_back(loaded.entry);
  }
  const expectation e = expect(r, outputs, arguments, {false, true});
  const auto execute = [&](size_t k, void* const* pointers, i64 begin, i64 end) { entries[k](pointers, begin, end); };
  const outcome wanted = run_interpreted(p, arguments, true, 0);
  for (const bool at_end : {true, false})
    for (const u64 split : {u64{0}, seed + 1}) {
      const text wrong = difference(e, wanted, run_prepared(p, arguments, at_end, split, execute));
      if (!wrong.empty()) return out << "interpreter and emitted code, " << (split == 0 ? "whole" : "in pieces") << ": " << wrong, out;
    }
  return out;
}

text emitted_report(const random_program& p, const machine& m, const text& wrong) {
  text out;
  out << described(p) << ", " << m.vector_bytes << "-byte vectors: " << wrong << "\n" << source_of(p.nodes, p.outputs);
  return out << shrunk(p, [&](const cut_program& c) {
    const prepared ready = prepare(c.nodes, c.outputs, m);
    batch b;
    std::vector<text> symbols;
    for (const program& k : ready.kernels) symbols.push_back(b.add(k, false));
    return emitted_problem(b, c.nodes, c.outputs, c.arguments, ready, symbols, p.seed);
  }), out;
}

}  // namespace

TEST_CASE("random programs: emitted C++ computes the interpreter's bits") {
  const scratch::directory cache;
  const scratch::variable used("TWILL_CACHE_DIR", cache.path("cache"));
  const u64 only = setting("TWILL_TEST_SEED", ~u64{0});
  const u64 first = only != ~u64{0} ? only : 0, last = only != ~u64{0} ? only + 1 : setting("TWILL_TEST_PROGRAMS", every_function);
  int failures = 0;
  size_t kernels = 0;
  for (u64 seed = first; seed < last && failures < 5;) {
    batch b;
    std::vector<compiled> all;
    for (; seed < last && b.size() < 120; ++seed) {
      compiled c{generate(seed), {}, {}};
      c.ready = prepare(c.made->nodes, c.made->outputs, machines[seed % 3]);
      for (const program& k : c.ready.kernels) c.symbols.push_back(b.add(k, seed % 2 == 0));
      all.push_back(std::move(c));
    }
    kernels += b.size();
    for (const compiled& c : all) {
      INFO("seed " << c.made->seed);
      const text wrong = emitted_problem(b, c.made->nodes, c.made->outputs, c.made->arguments, c.ready, c.symbols, c.made->seed);
      if (wrong.empty()) continue;
      FAIL_CHECK(emitted_report(*c.made, machines[c.made->seed % 3], wrong).c_str());
      if (++failures == 5) break;
    }
  }
  if (std::getenv("TWILL_TEST_PROGRAMS") != nullptr) std::printf("%llu kernels\n", static_cast<unsigned long long>(kernels));
  CHECK(kernels > 0);
}
