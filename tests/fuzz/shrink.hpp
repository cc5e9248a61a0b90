// A smaller expression that fails as well: parts instead of the whole, sources instead of nodes, plainer constants and
// narrower ranges, until nothing helps.
#pragma once

#include "fuzz/check.hpp"
#include "fuzz/recipe.hpp"

namespace fuzz {

struct shrunk {
  recipe what;
  verdict why;
};

class shrinker {
 public:
  explicit shrinker(const subject& s) : subject_(s) {}

  shrunk operator()(recipe r) {
    shrunk out{r, fails(r)};
    kind_ = out.why.what;
    bool better = true;
    while (better && tries_ > 0) {
      better = false;
      const recipe now = out.what;
      const u32 size = static_cast<u32>(now.cells.size());
      // A part, the smallest first.
      for (u32 i = 0; i + 1 < size && !better; ++i)
        if (now.cells[i].count > 0) better = take(out, now.from(i));
      for (u32 i = size; i-- > 0 && !better;) better = simpler_cell(out, now, i);
    }
    return out;
  }

 private:
  verdict fails(const recipe& r) {
    --tries_;
    graph g;
    const uop root = r.build(g);
    for (u32 id = 0; id < g.size(); ++id)
      if (!well_typed(g, id)) return {};
    choices c(7);
    return check(root, subject_, sample_all(root, c, 300));
  }
  bool take(shrunk& best, const recipe& candidate) {
    if (tries_ <= 0) return false;
    const verdict v = fails(candidate);
    if (v.ok() || (v.what != kind_ && !(wrong_value(v.what) && wrong_value(kind_)))) return false;
    best = {candidate, v};
    return true;
  }
  static bool wrong_value(fault f) { return f == fault::value || f == fault::step; }
  bool simpler_cell(shrunk& best, const recipe& now, u32 at) {
    const cell& c = now.cells[at];
    const u32 root = static_cast<u32>(now.cells.size()) - 1;
    const auto with = [&](const cell& changed) {
      recipe r = now;
      r.cells[at] = changed;
      return r.from(root);
    };
    const auto leaf = [&](i64 word) { return cell{op::CONST, c.type, {}, 0, word, 0, 'a', {}}; };
    if (c.count > 0) {
      // One of its sources instead of it: users name the source.
      for (u32 s = 0; s < c.count; ++s) {
        if (!(now.cells[c.sources[s]].type == c.type)) continue;
        recipe r = now;
        for (cell& user : r.cells)
          for (u32 k = 0; k < user.count; ++k)
            if (user.sources[k] == at) user.sources[k] = c.sources[s];
        if (take(best, r.from(at == root ? c.sources[s] : root))) return true;
      }
      if (take(best, with(leaf(0))) || take(best, with(leaf(twill::is_float(c.type) ? twill::word_of(1.0) : 1)))) return true;
      // A new variable instead of it.
      cell fresh{op::DEFINE_VAR, c.type, {}, 0, 0, 0, free_name(now), {}};
      if (!twill::is_float(c.type)) {
        fresh.first = twill::min_value(c.type.kind);
        fresh.second = twill::max_value(c.type.kind);
      }
      if (at != root && fresh.name != 'z' && take(best, with(fresh))) return true;
      return false;
    }
    if (c.code == op::VCONST) {
      if (take(best, with(leaf(0))) || take(best, with(leaf(c.lanes[0])))) return true;
    } else if (c.code == op::CONST && !twill::is_float(c.type)) {
      const u64 v = static_cast<u64>(c.first);
      for (const i64 next : {i64{0}, i64{1}, i64{2}, static_cast<i64>(u64{0} - v)}) {
        const i64 word = twill::wrap(c.type.kind, next);
        if (magnitude(word) < magnitude(c.first) && take(best, with(leaf(word)))) return true;
      }
      for (i64 less = c.first / 2 + c.first % 2; less != 0; less /= 2) {
        const i64 word = static_cast<i64>(v - static_cast<u64>(less));
        if (magnitude(word) < magnitude(c.first) && take(best, with(leaf(word)))) return true;
      }
    } else if (c.code == op::CONST) {
      for (const double next : {0.0, 1.0, 2.0})
        if (plainness(c.first) > plainness(twill::word_of(next)) && take(best, with(leaf(twill::word_of(next))))) return true;
    } else if (c.code == op::DEFINE_VAR && !twill::is_float(c.type)) {
      if (take(best, with(leaf(0))) || take(best, with(leaf(1))) || (c.first != c.second && take(best, with(leaf(c.first))))) return true;
      const u64 width = static_cast<u64>(c.second) - static_cast<u64>(c.first);
      cell v = c;
      for (const u64 less : {width, width - 1, width / 2 + (width & 1), width / 4, u64{1}}) {
        if (width == 0 || less == 0 || less > width) continue;
        v = c;
        v.second = static_cast<i64>(static_cast<u64>(c.second) - less);
        if (take(best, with(v))) return true;
        v = c;
        v.first = static_cast<i64>(static_cast<u64>(c.first) + less);
        if (take(best, with(v))) return true;
      }
    } else if (c.code == op::DEFINE_VAR) {
      if (take(best, with(leaf(0))) || take(best, with(leaf(twill::word_of(1.0))))) return true;
    }
    return false;
  }
  static u64 magnitude(i64 v) { return v < 0 ? 2 * (u64{0} - static_cast<u64>(v)) : 2 * static_cast<u64>(v) - (v != 0); }
  static int plainness(i64 word) {
    const double v = twill::double_of(word);
    return word == 0 ? 0 : v == 1.0 ? 1 : v == 2.0 ? 2 : 3;
  }
  static char free_name(const recipe& r) {
    char name = 'a';
    for (const cell& c : r.cells)
      if (c.code == op::DEFINE_VAR && c.name >= name) name = static_cast<char>(c.name + 1);
    return name;
  }
  subject subject_;
  fault kind_ = fault::none;
  i64 tries_ = 20000;
};

}  // namespace fuzz
