// How our results compare with the corpus's in size, by family of ids.
#pragma once

#include <map>
#include <ostream>
#include <string>

namespace conformance {

class strength {
 public:
  void add(const std::string& id, size_t ours, size_t theirs) {
    counts& c = by_family_[id.substr(0, id.find('/'))];
    ++(ours > theirs ? c.weaker : ours == theirs ? c.equal : c.stronger);
  }
  // Names the families of which more than these percents are weaker; true if there is none.
  bool at_most(size_t percent, std::ostream& out) const {
    bool good = true;
    for (const auto& [name, c] : by_family_)
      if (100 * c.weaker > percent * (c.weaker + c.equal + c.stronger)) {
        out << "TOO WEAK " << name << ": " << c << ", allowed " << percent << "%\n";
        good = false;
      }
    return good;
  }
  friend std::ostream& operator<<(std::ostream& out, const strength& s) {
    counts all;
    for (const auto& [name, c] : s.by_family_) {
      out << name << ": " << c << '\n';
      all.weaker += c.weaker;
      all.equal += c.equal;
      all.stronger += c.stronger;
    }
    return out << "all: " << all << '\n';
  }

 private:
  struct counts {
    size_t weaker = 0, equal = 0, stronger = 0;
    friend std::ostream& operator<<(std::ostream& out, const counts& c) {
      const size_t all = c.weaker + c.equal + c.stronger;
      const auto percent = [&](size_t n) {
        const size_t tenths = all == 0 ? 0 : (1000 * n + all / 2) / all;
        return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10);
      };
      return out << "weaker " << c.weaker << ", equal " << c.equal << ", stronger " << c.stronger << " (weaker " << percent(c.weaker)
                 << "%, stronger " << percent(c.stronger) << "%)";
    }
  };
  std::map<std::string, counts> by_family_;
};

}  // namespace conformance
