// What a rewrite did: how often each rule was tried and applied, why it stopped, and, if asked, every step.
#pragma once

#include "twill/match/rule.hpp"

namespace twill {

// Why a rewrite ended.
enum class stop_reason : u8 {
  nothing_to_do,  // no rule applied
  finished,       // rules applied, and none does any more
  limit_reached,  // more applications than rewrite_options::limit
  circle          // a node became itself again
};
constexpr const char* name(stop_reason r) {
  constexpr const char* names[] = {"nothing to do", "finished", "rules do not end", "rules go round in a circle"};
  return names[static_cast<u8>(r)];
}

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
  // Of the last rewrite; and, where rules do not end, which ones: the last ones that were applied, latest first.
  constexpr stop_reason stopped() const { return stopped_; }
  constexpr span<const char* const> stopped_by() const { return {stopped_by_.data(), stopped_by_.size()}; }
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
  constexpr void stop(stop_reason why, span<const char* const> rules = {}) {
    stopped_ = why;
    stopped_by_.clear();
    stopped_by_.append(rules);
  }

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
  vector<const char*> stopped_by_;
  u64 visits_ = 0;
  stop_reason stopped_ = stop_reason::nothing_to_do;
};

// A line for each rule that was tried: how often it was applied, how often tried, its name. Then why the last rewrite ended.
constexpr text to_text(const match_stats& stats) {
  text out;
  const auto column = [&](u64 value) {
    text number;
    number << value;
    for (size_t i = number.size(); i < 10; ++i) out << ' ';
    out << number;
  };
  for (const match_stats::entry& e : stats.entries()) {
    if (e.tried == 0) continue;
    column(e.applied);
    column(e.tried);
    out << "  " << e.name << '\n';
  }
  column(stats.applied());
  column(stats.tried());
  out << "  " << name(stats.stopped());
  for (const char* rule : stats.stopped_by()) out << (rule == stats.stopped_by()[0] ? ": \"" : ", \"") << rule << '"';
  return out << '\n';
}

// One application of a rule: the node before, the node after.
struct rewrite_step {
  const char* rule = "";
  u32 before = 0;
  u32 after = 0;
};
using rewrite_trace = vector<rewrite_step>;

}  // namespace twill
