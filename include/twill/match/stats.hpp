// What a rewrite did: how often each rule was tried and applied, and, if asked, every step.
#pragma once

#include "twill/match/rule.hpp"

namespace twill {

class match_stats {
 public:
  struct entry {
    const char* name = "";
    u64 tried = 0;
    u64 applied = 0;
  };
  // How often rules of this name were applied.
  constexpr u64 applied(text_view name) const { return sum(name, &entry::applied); }
  constexpr u64 tried(text_view name) const { return sum(name, &entry::tried); }
  // All rules together.
  constexpr u64 applied() const { return sum(&entry::applied); }
  constexpr u64 tried() const { return sum(&entry::tried); }
  constexpr u64 visits() const { return visits_; }
  constexpr span<const entry> entries() const { return {entries_.data(), entries_.size()}; }

  // For the engine: the entries of this set's rules, in their order.
  constexpr size_t enter(const rule_view& set) {
    for (const known_set& k : sets_)
      if (k.rules == set.rules && k.count == set.count) return k.first;
    const size_t first = entries_.size();
    for (size_t i = 0; i < set.count; ++i) entries_.push_back({set.rules[i].name, 0, 0});
    sets_.push_back({set.rules, set.count, first});
    return first;
  }
  constexpr void count_try(size_t at) { ++entries_[at].tried; }
  constexpr void count_application(size_t at) { ++entries_[at].applied; }
  constexpr void count_visit() { ++visits_; }

 private:
  struct known_set {
    const rule* rules = nullptr;
    size_t count = 0;
    size_t first = 0;
  };
  constexpr u64 sum(text_view name, u64 entry::*member) const {
    u64 out = 0;
    for (const entry& e : entries_)
      if (text_view(e.name) == name) out += e.*member;
    return out;
  }
  constexpr u64 sum(u64 entry::*member) const {
    u64 out = 0;
    for (const entry& e : entries_) out += e.*member;
    return out;
  }
  vector<entry> entries_;
  vector<known_set> sets_;
  u64 visits_ = 0;
};

// One application of a rule: the node before, the node after.
struct rewrite_step {
  const char* rule = "";
  u32 before = 0;
  u32 after = 0;
};
using rewrite_trace = vector<rewrite_step>;

}  // namespace twill
