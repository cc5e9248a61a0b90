// The IR: an arena of hash-consed nodes. Equal (op, dtype, sources, arguments) is the same node, so identity is equality.
// After tinygrad's UOp. One graph lives inside one compile and is confined to one thread.
#pragma once

#include "twill/base/hash.hpp"
#include "twill/base/vector.hpp"
#include "twill/ir/alignment.hpp"
#include "twill/ir/bounds.hpp"
#include "twill/ir/interval.hpp"
#include "twill/ir/ops.hpp"

namespace twill {

// What a node is; its sources and arguments stand in the graph's pools.
struct node {
  u64 hash = 0;  // structural: stable across runs and graphs
  interval bounds{};
  alignment steps{};
  dtype type{};
  u32 first_source = 0;
  u32 first_argument = 0;
  op code = op::NULL_OP;
  u8 reserved = 0;
  u16 source_count = 0;
  u16 argument_count = 0;
};
static_assert(sizeof(node) <= 56);

struct uop;

class graph {
 public:
  constexpr graph() = default;
  constexpr explicit graph(size_t expected_nodes) { nodes_.reserve(expected_nodes); sources_.reserve(2 * expected_nodes); }
  // Nodes are named by their graph's address.
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;

  // The node with these parts: the one that is there, or a new one. Law: every source's id is less than the node's.
  constexpr u32 intern(op code, dtype type, span<const u32> sources, span<const i64> arguments = {}) {
    u64 hash = hash_combine(static_cast<u64>(code), type.word());
    for (const u32 s : sources) hash = hash_combine(hash, nodes_[s].hash);
    for (const i64 a : arguments) hash = hash_combine(hash, static_cast<u64>(a));
    if (table_.size() < 2 * (nodes_.size() + 1)) rehash();
    const size_t mask = table_.size() - 1;
    size_t at = static_cast<size_t>(hash) & mask;
    for (; table_[at] != 0; at = (at + 1) & mask) {
      const u32 id = table_[at] - 1;
      if (nodes_[id].hash == hash && same(nodes_[id], code, type, sources, arguments)) return id;
    }
    node fresh;
    fresh.hash = hash;
    fresh.type = type;
    fresh.code = code;
    fresh.first_source = static_cast<u32>(sources_.size());
    fresh.first_argument = static_cast<u32>(arguments_.size());
    fresh.source_count = static_cast<u16>(sources.size());
    fresh.argument_count = static_cast<u16>(arguments.size());
    interval known[3]{};
    const size_t alu_sources = sources.size() < 3 ? sources.size() : 3;
    for (size_t i = 0; i < alu_sources; ++i) known[i] = nodes_[sources[i]].bounds;
    fresh.bounds = infer_bounds(code, type, alu_sources > 0 ? nodes_[sources[0]].type : type, {known, alu_sources}, arguments);
    if (fresh.bounds.lo == fresh.bounds.hi) fresh.steps.modulus = 0;
    else if (alu_sources > 0 && may_be_aligned(code, nodes_[sources[0]].steps.modulus, nodes_[sources[alu_sources > 1]].steps.modulus))
      align(fresh, sources, {known, alu_sources});
    for (const u32 s : sources) sources_.push_back(s);
    for (const i64 a : arguments) arguments_.push_back(a);
    const u32 id = static_cast<u32>(nodes_.size());
    nodes_.push_back(fresh);
    table_[at] = id + 1;
    return id;
  }

  // A node of a packed graph, which was interned once: nothing is looked up, and nothing may be interned afterwards.
  constexpr u32 append(op code, dtype type, span<const u32> sources, span<const i64> arguments) {
    node fresh;
    fresh.type = type;
    fresh.code = code;
    fresh.first_source = static_cast<u32>(sources_.size());
    fresh.first_argument = static_cast<u32>(arguments_.size());
    fresh.source_count = static_cast<u16>(sources.size());
    fresh.argument_count = static_cast<u16>(arguments.size());
    for (const u32 s : sources) sources_.push_back(s);
    for (const i64 a : arguments) arguments_.push_back(a);
    nodes_.push_back(fresh);
    return static_cast<u32>(nodes_.size() - 1);
  }

  constexpr size_t size() const { return nodes_.size(); }
  constexpr const node& at(u32 id) const { return nodes_[id]; }
  constexpr span<const u32> sources(u32 id) const {
    const node& n = nodes_[id];
    return {sources_.data() + n.first_source, n.source_count};
  }
  constexpr span<const i64> arguments(u32 id) const {
    const node& n = nodes_[id];
    return {arguments_.data() + n.first_argument, n.argument_count};
  }
  // Forgets every node; ids and uops of before are void.
  constexpr void clear() {
    nodes_.clear();
    sources_.clear();
    arguments_.clear();
    for (u32& slot : table_) slot = 0;
  }

  // Makers that return uops; defined in ir/uop.hpp.
  constexpr uop make(op code, dtype type, std::initializer_list<uop> sources, span<const i64> arguments = {});
  constexpr uop make(op code, dtype type, span<const uop> sources, span<const i64> arguments = {});
  constexpr uop constant(dtype type, i64 value);
  constexpr uop constant(dtype type, int value);
  constexpr uop constant(dtype type, double value);
  constexpr uop var(text_view name, i64 lo, i64 hi, dtype type = int32);
  constexpr uop at_id(u32 id);

 private:
  constexpr bool same(const node& n, op code, dtype type, span<const u32> sources, span<const i64> arguments) const {
    if (n.code != code || !(n.type == type) || n.source_count != sources.size() || n.argument_count != arguments.size()) return false;
    for (size_t i = 0; i < sources.size(); ++i)
      if (sources_[n.first_source + i] != sources[i]) return false;
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments_[n.first_argument + i] != arguments[i]) return false;
    return true;
  }
  constexpr void align(node& fresh, span<const u32> sources, span<const interval> known) const {
    alignment steps[3]{};
    for (size_t i = 0; i < known.size(); ++i) steps[i] = nodes_[sources[i]].steps;
    fresh.steps = infer_alignment(fresh.code, fresh.type, nodes_[sources[0]].type, known, {steps, known.size()}, fresh.bounds);
  }
  constexpr void rehash() {
    const size_t size = table_.empty() ? 64 : 4 * table_.size();
    table_ = vector<u32>(size, 0);
    for (u32 id = 0; id < nodes_.size(); ++id) {
      size_t at = static_cast<size_t>(nodes_[id].hash) & (size - 1);
      while (table_[at] != 0) at = (at + 1) & (size - 1);
      table_[at] = id + 1;
    }
  }

  vector<node> nodes_;
  vector<u32> sources_;
  vector<i64> arguments_;
  vector<u32> table_;  // open addressing: id + 1, or 0 for free
};

}  // namespace twill
