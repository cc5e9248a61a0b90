// One fuzzed expression after the other, counted; what fails is shrunk and printed.
#pragma once

#include "fuzz/generate.hpp"
#include "fuzz/shrink.hpp"

namespace fuzz {

struct finding {
  u64 seed = 0, index = 0;
  shrunk least;
};

class run {
 public:
  run(const subject& s, u64 seed, size_t samples = 32) : subject_(s), seed_(seed), samples_(samples) { applied_.resize(s.rules.count, 0); }

  // False where the expression fails; then `found` says how.
  bool next() { return one(choices(mixed(seed_ * 0x9e3779b97f4a7c15 + index_)), applied_); }
  // One that depends on these choices only.
  bool alone(choices r) { return one(r, {}); }
  finding found;

  u64 seed() const { return seed_; }
  u64 expressions() const { return index_; }
  // What is being checked.
  recipe current() const { return root_.owner == nullptr ? recipe{} : recipe::of(root_); }
  u64 nodes() const { return nodes_; }
  // By the rule's place in the set.
  const vector<u64>& applied() {
    count();
    return applied_;
  }

 private:
  bool one(choices r, span<const u64> applied) {
    ++index_;
    graph_.clear();
    root_ = {};
    generator make(graph_, r, subject_.rules, applied, root_);
    const uop root = root_ = make(4 + static_cast<int>(r.one_in(4) ? r.below(140) : r.below(40)));
    const assignments at = sample_all(root, r, samples_);
    const verdict v = check(root, subject_, at, &stats_);
    nodes_ += graph_.size();
    if ((index_ & 63) == 0) count();
    if (v.ok()) return true;
    found.seed = seed_;
    found.index = index_ - 1;
    found.least = shrinker(subject_)(recipe::of(root));
    // Sampled values may not show it again.
    if (found.least.why.ok()) found.least = {recipe::of(root), v};
    return false;
  }
  void count() {
    const span<const twill::match_stats::entry> entries = stats_.entries();
    for (size_t i = 0; i < applied_.size() && i < entries.size(); ++i) applied_[i] = entries[i].applied;
  }
  subject subject_;
  u64 seed_;
  size_t samples_;
  u64 index_ = 0, nodes_ = 0;
  graph graph_;
  uop root_;
  twill::match_stats stats_;
  vector<u64> applied_;
};

}  // namespace fuzz
