// The IR: an arena of hash-consed nodes. Equal (op, dtype, sources, arguments) is the same node, so identity is equality.
// After tinygrad's UOp. One graph lives inside one compile and is confined to one thread.
#pragma once

#include "twill/base/hash.hpp"
#include "twill/base/vector.hpp"
#include "twill/ir/alignment.hpp"
#include "twill/ir/bounds.hpp"
#include "twill/ir/interval.hpp"
#include "twill/ir/node_class.hpp"
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
  u8 kind = 0;  // its node_class
  bool may_wrap = false;  // can its exact value lie outside its dtype?
  u16 source_count = 0;
  u16 argument_count = 0;
};
static_assert(sizeof(node) <= 56);

// Ops whose exact result can lie outside the dtype of their operands.
constexpr bool can_overflow(op code) {
  return code == op::ADD || code == op::MUL || code == op::SUB || code == op::NEG || code == op::SHL || code == op::MULACC;
}

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
    u32 newest = 0;
    for (const u32 s : sources) {
      hash = hash_combine(hash, node_data_[s].hash);
      newest = s > newest ? s : newest;
    }
    for (const i64 a : arguments) hash = hash_combine(hash, static_cast<u64>(a));
    if (nodes_.size() >= table_room_) rehash();
    // Near the slots of its newest source, so that what is built together lies together in a table that is larger than the
    // cache; anywhere, where it has no sources or there is no room.
    const u32 tag = static_cast<u32>(hash >> 32);
    size_t at = 0;
    u32 tried = sources.empty() ? near_slots : 0;
    for (; tried < near_slots; ++tried) {
      at = near_slot(hash + tried, newest);
      const slot& s = table_data_[at];
      if (s.id == 0) break;
      if (s.tag == tag && same(node_data_[s.id - 1], hash, code, type, sources, arguments)) return s.id - 1;
    }
    if (tried == near_slots)
      for (at = far_slot(hash); table_data_[at].id != 0; at = (at + 1) & table_mask_) {
        const slot& s = table_data_[at];
        if (s.tag == tag && same(node_data_[s.id - 1], hash, code, type, sources, arguments)) return s.id - 1;
      }
    const u32 id = create(code, type, sources, arguments, hash);
    table_data_[at] = {id + 1, tag};
    return id;
  }

  // A node of a packed graph, which was interned once: nothing is looked up, and nothing may be interned afterwards.
  constexpr u32 append(op code, dtype type, span<const u32> sources, span<const i64> arguments) {
    put(code, type, sources, arguments);
    return static_cast<u32>(nodes_.size() - 1);
  }

  constexpr size_t size() const { return nodes_.size(); }
  constexpr const node& at(u32 id) const { return node_data_[id]; }
  constexpr span<const u32> sources(u32 id) const { return {source_data_ + node_data_[id].first_source, node_data_[id].source_count}; }
  constexpr span<const i64> arguments(u32 id) const { return {argument_data_ + node_data_[id].first_argument, node_data_[id].argument_count}; }
  // One of them; position must be less than the count.
  constexpr u32 source(u32 id, size_t position) const { return source_data_[node_data_[id].first_source + position]; }
  constexpr i64 argument(u32 id, size_t position) const { return argument_data_[node_data_[id].first_argument + position]; }
  // Forgets every node; ids and uops of before are void.
  constexpr void clear() {
    nodes_.clear();
    sources_.clear();
    arguments_.clear();
    for (slot& s : table_) s = {0, 0};
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
  // Of the table: id + 1 of a node, or 0 for free, and half of its hash.
  struct slot {
    u32 id;
    u32 tag;
  };
  constexpr node& put(op code, dtype type, span<const u32> sources, span<const i64> arguments) {
    node& fresh = *nodes_.extend(1);
    fresh = {0, {}, {}, type, static_cast<u32>(sources_.size()), static_cast<u32>(arguments_.size()), code, 0, false,
             static_cast<u16>(sources.size()), static_cast<u16>(arguments.size())};
    u32* to = sources_.extend(sources.size());
    for (const u32 s : sources) *to++ = s;
    i64* word = arguments_.extend(arguments.size());
    for (const i64 a : arguments) *word++ = a;
    node_data_ = nodes_.data();
    source_data_ = sources_.data();
    argument_data_ = arguments_.data();
    return fresh;
  }
  constexpr u32 create(op code, dtype type, span<const u32> sources, span<const i64> arguments, u64 hash) {
    interval known[3];
    const size_t alu_sources = sources.size() < 3 ? sources.size() : 3;
    for (size_t i = 0; i < alu_sources; ++i) known[i] = node_data_[sources[i]].bounds;
    const interval bounds = infer_bounds(code, type, alu_sources > 0 ? node_data_[sources[0]].type : type, {known, alu_sources}, arguments);
    node& fresh = put(code, type, sources, arguments);
    fresh.hash = hash;
    fresh.kind = node_class::of(code, type, arguments);
    fresh.bounds = bounds;
    if (bounds.lo == bounds.hi) fresh.steps.modulus = 0;
    else if (alu_sources > 0 && may_be_aligned(code, node_data_[sources[0]].steps.modulus, node_data_[sources[alu_sources > 1]].steps.modulus))
      align(fresh, sources, {known, alu_sources});
    fresh.may_wrap = can_overflow(code) && is_integer(type) && bounds == full_range(type);
    return static_cast<u32>(nodes_.size() - 1);
  }
  constexpr bool same(const node& n, u64 hash, op code, dtype type, span<const u32> sources, span<const i64> arguments) const {
    if (n.hash != hash || n.code != code || !(n.type == type) || n.source_count != sources.size() || n.argument_count != arguments.size()) return false;
    for (size_t i = 0; i < sources.size(); ++i)
      if (source_data_[n.first_source + i] != sources[i]) return false;
    for (size_t i = 0; i < arguments.size(); ++i)
      if (argument_data_[n.first_argument + i] != arguments[i]) return false;
    return true;
  }
  constexpr void align(node& fresh, span<const u32> sources, span<const interval> known) const {
    alignment steps[3]{};
    for (size_t i = 0; i < known.size(); ++i) steps[i] = node_data_[sources[i]].steps;
    fresh.steps = infer_alignment(fresh.code, fresh.type, node_data_[sources[0]].type, known, {steps, known.size()}, fresh.bounds);
  }
  constexpr void rehash() {
    const size_t size = table_.empty() ? 64 : 4 * table_.size();
    if (table_.empty()) {
      nodes_.reserve(32);
      sources_.reserve(64);
      arguments_.reserve(64);
    }
    table_ = vector<slot>(size);
    table_data_ = table_.data();
    table_mask_ = size - 1;
    table_room_ = size / 2;
    for (u32 id = 0; id < nodes_.size(); ++id) {
      const u64 hash = node_data_[id].hash;
      u32 newest = 0, tried = node_data_[id].source_count == 0 ? near_slots : 0;
      for (size_t i = 0; i < node_data_[id].source_count; ++i) newest = source(id, i) > newest ? source(id, i) : newest;
      size_t at = 0;
      for (; tried < near_slots; ++tried)
        if (at = near_slot(hash + tried, newest); table_data_[at].id == 0) break;
      if (tried == near_slots)
        for (at = far_slot(hash); table_data_[at].id != 0;) at = (at + 1) & table_mask_;
      table_data_[at] = {id + 1, static_cast<u32>(hash >> 32)};
    }
  }
  static constexpr u32 near_slots = 8;  // one cache line
  constexpr size_t near_slot(u64 hash, u32 newest) const { return ((size_t{newest} * 2 & table_mask_) & ~size_t{near_slots - 1}) | (static_cast<size_t>(hash) & (near_slots - 1)); }
  constexpr size_t far_slot(u64 hash) const { return static_cast<size_t>(hash >> 4) & table_mask_; }

  // Where the pools lie: reading a node costs one step in constant evaluation instead of several.
  const node* node_data_ = nullptr;
  const u32* source_data_ = nullptr;
  const i64* argument_data_ = nullptr;
  vector<node> nodes_;
  vector<u32> sources_;
  vector<i64> arguments_;
  slot* table_data_ = nullptr;
  size_t table_mask_ = 0;
  size_t table_room_ = 0;  // nodes up to which the table stays half empty
  vector<slot> table_;     // open addressing
};

}  // namespace twill
