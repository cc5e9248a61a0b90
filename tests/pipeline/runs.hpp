// Runs recordings through the pipeline at run time: planned, lowered for a machine, executed kernel by kernel on guarded
// memory.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "pipeline/generator.hpp"
#include "pipeline/reference.hpp"
#include "twill/exec/interpreter.hpp"
#include "twill/ir/print.hpp"

namespace pipeline {

// A number of the environment.
inline u64 setting(const char* variable, u64 otherwise) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : otherwise;
}

// Blocks between pages that may not be touched: at_end, a block ends where such a page begins, else it starts after one.
// The other side has guard bytes. So blocks are aligned to their elements at most, or well.
class guarded_memory {
 public:
  guarded_memory() = default;
  guarded_memory(const guarded_memory&) = delete;
  guarded_memory& operator=(const guarded_memory&) = delete;
  ~guarded_memory() {
    for (const region& r : regions_) ::munmap(r.whole, r.bytes + 2 * page());
  }
  void release() {
    for (region& r : regions_) r.used = false;
  }
  unsigned char* block(size_t bytes, bool at_end) {
    region* r = nullptr;
    for (region& known : regions_)
      if (!known.used && known.bytes >= bytes + guard) r = &known;
    if (r == nullptr) {
      region fresh;
      fresh.bytes = (bytes + guard + page() - 1) / page() * page();
      if (fresh.bytes < 16 * page()) fresh.bytes = 16 * page();
      fresh.whole = static_cast<unsigned char*>(::mmap(nullptr, fresh.bytes + 2 * page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
      if (fresh.whole == MAP_FAILED || ::mprotect(fresh.whole + page(), fresh.bytes, PROT_READ | PROT_WRITE) != 0) raise<argument_error>("no memory");
      regions_.push_back(fresh);
      r = &regions_.back();
    }
    r->used = true;
    unsigned char* const first = r->whole + page();
    r->block = at_end ? first + r->bytes - bytes : first;
    r->guarded = at_end ? r->block - guard : r->block + bytes;
    std::memset(r->block, 0xcd, bytes);
    std::memset(r->guarded, 0xa5, guard);
    return r->block;
  }
  bool intact() const {
    for (const region& r : regions_)
      if (r.used)
        for (size_t i = 0; i < guard; ++i)
          if (r.guarded[i] != 0xa5) return false;
    return true;
  }

 private:
  static constexpr size_t guard = 192;
  static size_t page() {
    static const size_t bytes = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    return bytes;
  }
  struct region {
    unsigned char *whole = nullptr, *block = nullptr, *guarded = nullptr;
    size_t bytes = 0;
    bool used = false;
  };
  std::vector<region> regions_;
};

inline void write_words(unsigned char* to, scalar_kind kind, const std::vector<i64>& words) {
  const size_t bytes = static_cast<size_t>(byte_size(kind));
  for (size_t i = 0; i < words.size(); ++i) {
    const u64 bits = raw_bits(kind, words[i]);
    std::memcpy(to + i * bytes, &bits, bytes);
  }
}
inline std::vector<i64> read_words(const unsigned char* from, scalar_kind kind, i64 count) {
  const size_t bytes = static_cast<size_t>(byte_size(kind));
  std::vector<i64> words(static_cast<size_t>(count));
  for (size_t i = 0; i < words.size(); ++i) {
    u64 bits = 0;
    std::memcpy(&bits, from + i * bytes, bytes);
    words[i] = kind == scalar_kind::bool_ ? static_cast<i64>(bits) : word_of_raw_bits(kind, bits);  // a bool is 0 or 1
  }
  return words;
}

// A recording made ready for a machine.
struct prepared {
  schedule_plan plan;
  std::vector<program> kernels;
  std::vector<std::vector<u32>> buffers;  // by kernel: its arguments' numbers in the plan
};
inline prepared prepare(const recorder& r, span<const u32> outputs, const machine& m) {
  prepared p;
  p.plan = plan_kernels(r.nodes, r.shapes, outputs);
  for (size_t k = 0; k < p.plan.kernels.size(); ++k) {
    kernel_tree tree;
    build_kernel(r.nodes, r.shapes, p.plan, k, tree);
    p.kernels.emplace_back();
    lower(tree, m, p.kernels.back());
    p.buffers.emplace_back(tree.arguments.begin(), tree.arguments.end());
  }
  return p;
}

struct outcome {
  std::vector<std::vector<i64>> results;  // by output
  bool intact = true;                     // no guard byte was touched, no input changed
};

// execute(kernel number, its memory, begin, end). split: in pieces of random sizes, the last ones first.
template <class Execute>
outcome run_prepared(const prepared& p, const std::vector<argument>& arguments, bool at_end, u64 split, const Execute& execute) {
  static guarded_memory memory;
  memory.release();
  std::vector<unsigned char*> blocks;
  for (const buffer_use& b : p.plan.buffers) {
    blocks.push_back(memory.block(static_cast<size_t>(b.elements * byte_size(b.type.kind)), at_end));
    if (b.what == buffer_use::kind::input) write_words(blocks.back(), b.type.kind, arguments[b.number].words);
  }
  for (size_t k = 0; k < p.kernels.size(); ++k) {
    std::vector<void*> pointers;
    for (const u32 b : p.buffers[k]) pointers.push_back(blocks[b]);
    const i64 count = p.kernels[k].parallel_count;
    if (split == 0) {
      execute(k, pointers.data(), i64{0}, count);
      continue;
    }
    random_numbers random(split);
    for (i64 end = count; end > 0;) {
      const i64 step = 1 + random.below(random.chance(50) ? 2 : count), begin = end > step ? end - step : 0;
      execute(k, pointers.data(), begin, end);
      end = begin;
    }
  }
  outcome out;
  for (size_t i = 0; i < p.plan.buffers.size(); ++i) {
    const buffer_use& b = p.plan.buffers[i];
    std::vector<i64> words = read_words(blocks[i], b.type.kind, b.elements);
    if (b.what == buffer_use::kind::input) out.intact = out.intact && words == arguments[b.number].words;
    if (b.what != buffer_use::kind::output) continue;
    if (out.results.size() <= b.number) out.results.resize(b.number + 1);
    out.results[b.number] = std::move(words);
  }
  out.intact = out.intact && memory.intact();
  return out;
}
inline outcome run_interpreted(const prepared& p, const std::vector<argument>& arguments, bool at_end, u64 split) {
  return run_prepared(p, arguments, at_end, split, [&](size_t k, void* const* pointers, i64 begin, i64 end) { interpret(view_of(p.kernels[k]), pointers, begin, end); });
}

// What the reference says of every output; a description of the first difference, or nothing.
struct expectation {
  std::vector<tensor_value> outputs;
};
inline expectation expect(const recorder& r, span<const u32> outputs, const std::vector<argument>& arguments, freedom allowed = {}) {
  reference evaluate(r, allowed);
  for (size_t slot = 0; slot < arguments.size(); ++slot) evaluate.set_input(static_cast<i64>(slot), arguments[slot].words);
  expectation e;
  for (const u32 o : outputs) e.outputs.push_back(evaluate(o));
  return e;
}
inline text shown(scalar_kind kind, i64 word) { return render_constant(dtype{kind}, word); }
inline text difference(const expectation& e, const outcome& found, bool zero_signs = true) {
  text out;
  if (!found.intact) return text("memory outside of the results was written");
  for (size_t o = 0; o < e.outputs.size(); ++o) {
    const tensor_value& v = e.outputs[o];
    const scalar_kind kind = v.type.kind;
    for (size_t i = 0; i < v.cells.size(); ++i) {
      const i64 got = found.results[o][i];
      if (allows(v.cells[i], kind, got, zero_signs)) continue;
      out << "output " << o << ", element " << i << " of " << static_cast<i64>(v.cells.size()) << " (" << to_text(v.type) << "): got " << shown(kind, got) << ", expected "
          << shown(kind, v.cells[i].word);
      if (is_float(kind)) out << " in [" << shown(scalar_kind::float64, word_of(v.cells[i].lo)) << ", " << shown(scalar_kind::float64, word_of(v.cells[i].hi)) << "]";
      return out;
    }
  }
  return out;
}
// Between two ways out of one program: the same bits, but for the sign of a zero.
inline text difference(const expectation& e, const outcome& a, const outcome& b) {
  text out;
  if (!b.intact) return text("memory outside of the results was written");
  for (size_t o = 0; o < e.outputs.size(); ++o)
    for (size_t i = 0; i < a.results[o].size(); ++i) {
      const i64 x = a.results[o][i], y = b.results[o][i];
      const scalar_kind kind = e.outputs[o].type.kind;
      if (x == y || (is_float(kind) && double_of(x) == 0 && double_of(y) == 0)) continue;
      return out << "output " << o << ", element " << i << " (" << name(kind) << "): " << shown(kind, x) << " and " << shown(kind, y), out;
    }
  return out;
}

inline constexpr machine machines[] = {cpu_machine(16), cpu_machine(32), cpu_machine(64), cuda_machine, cpu_machine(0)};
inline constexpr const char* machine_names[] = {"16-byte vectors", "32-byte vectors", "64-byte vectors", "flat", "scalar"};

// The first thing wrong with the interpreted program, or nothing.
inline text interpreted_problem(const recorder& r, span<const u32> outputs, const std::vector<argument>& arguments, u64 seed) {
  text out;
  expectation e = expect(r, outputs, arguments);
  for (size_t m = 0; m < 5; ++m) {
    if (m == 4 && seed % 4 != 0) continue;
    if (m == 3) e = expect(r, outputs, arguments, {false, true});
    text wrong;
    try {
      const prepared p = prepare(r, outputs, machines[m]);
      const outcome whole = run_interpreted(p, arguments, seed % 2 == 0, 0);
      wrong = difference(e, whole);
      if (wrong.empty()) {
        const outcome split = run_interpreted(p, arguments, seed % 2 != 0, seed + 1);
        wrong = difference(e, whole, split);
        if (!wrong.empty()) out << "split: ";
      }
    } catch (const error& problem) {
      wrong << "raised: " << problem.what();
    }
    if (!wrong.empty()) return out << machine_names[m] << ": " << wrong, out;
  }
  return out;
}

// The recording below one node, cut into arguments that hold the reference's values where cut says so.
struct cut_program {
  recorder nodes;
  vector<u32, 4> outputs;
  std::vector<argument> arguments;
};
template <class Cut>
void cut_below(const recorder& r, u32 top, reference& values, const Cut& cut, cut_program& out) {
  std::vector<u32> made(r.nodes.size(), 0), stack{top};
  std::vector<char> wanted(r.nodes.size(), 0);
  wanted[top] = 1;
  for (u32 id = top + 1; id-- > 0;)
    if (wanted[id] != 0 && !cut(id))
      for (const u32 s : r.nodes.sources(id)) wanted[s] = 1;
  for (u32 id = 0; id <= top; ++id) {
    if (wanted[id] == 0) continue;
    const node& n = r.nodes.at(id);
    if (n.code == op::BUFFER || cut(id)) {
      const tensor_value& v = values(id);
      argument a{v.type, v.dims, {}};
      for (const cell& c : v.cells) a.words.push_back(is_float(v.type) ? word_of(round_to(v.type.kind, double_of(c.word))) : c.word);
      made[id] = record_argument(out.nodes, static_cast<i64>(out.arguments.size()), v.type, v.dims).id;
      out.arguments.push_back(a);
      continue;
    }
    vector<u32, 4> sources;
    for (const u32 s : r.nodes.sources(id)) sources.push_back(made[s]);
    made[id] = out.nodes.nodes.intern(n.code, n.type, sources, r.nodes.arguments(id));
    if (made[id] == out.nodes.shapes.size()) out.nodes.shapes.push_back(r.shapes[id]);
  }
  detail::add_output(out.outputs, out.nodes, tracer{&out.nodes, made[top]});
}

// A small program that fails as p does: of its sub-expressions the first, cut as near to it as can be.
template <class Problem>
text shrunk(const random_program& p, const Problem& problem) {
  reference values(p.nodes);
  for (size_t slot = 0; slot < p.arguments.size(); ++slot) values.set_input(static_cast<i64>(slot), p.arguments[slot].words);
  text out;
  const auto report = [&](const cut_program& c, const text& wrong) {
    out << "smaller: " << wrong << "\n" << source_of(c.nodes, c.outputs);
    for (const argument& a : c.arguments) {
      out << "  argument:";
      for (size_t i = 0; i < a.words.size() && i < 24; ++i) out << ' ' << shown(a.type.kind, a.words[i]);
      out << (a.words.size() > 24 ? " ...\n" : "\n");
    }
  };
  for (const u32 id : toposort(p.nodes.nodes, p.outputs)) {
    const op code = p.nodes.nodes.at(id).code;
    if (code == op::BUFFER || code == op::CONST) continue;
    const auto whole = std::make_unique<cut_program>();
    cut_below(p.nodes, id, values, [](u32) { return false; }, *whole);
    const text wrong = problem(*whole);
    if (wrong.empty()) continue;
    std::vector<int> depth(p.nodes.nodes.size(), 1000);
    depth[id] = 0;
    for (u32 below = id + 1; below-- > 0;)
      for (const u32 s : p.nodes.nodes.sources(below))
        if (depth[below] + 1 < depth[s]) depth[s] = depth[below] + 1;
    for (int d = 1; d < 8; ++d) {
      const auto part = std::make_unique<cut_program>();
      cut_below(p.nodes, id, values, [&](u32 n) { return depth[n] >= d && p.nodes.nodes.at(n).code != op::CONST; }, *part);
      const text still = problem(*part);
      if (still.empty()) continue;
      report(*part, still);
      return out;
    }
    report(*whole, wrong);
    return out;
  }
  return out << "no single sub-expression fails\n", out;
}
inline text described(const random_program& p) {
  const i64 s = static_cast<i64>(p.seed);
  text out("seed ");
  return out << p.seed << " (first " << name(static_cast<step>(s % step_count)) << " of " << name(all_kinds[s / step_count % kind_count]) << ')', out;
}
inline text interpreted_report(const random_program& p, const text& wrong) {
  text out;
  out << described(p) << ": " << wrong << "\n" << source_of(p.nodes, p.outputs);
  return out << shrunk(p, [&](const cut_program& c) { return interpreted_problem(c.nodes, c.outputs, c.arguments, p.seed); }), out;
}

}  // namespace pipeline
