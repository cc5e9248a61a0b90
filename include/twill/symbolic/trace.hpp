// How an expression came to its normal form: every application of a rule by name, at run time and in the compiler.
#pragma once

#include "twill/ir/print.hpp"
#include "twill/symbolic/symbolic.hpp"

namespace twill {

// A line `rule: before -> after` for each step, in their order, then why it ended and what is left. Rules that do not end
// are an ending too, not an error.
template <size_t N>
constexpr text trace(uop root, const rule_set<N>& set, rewrite_options options = {}) {
  constexpr size_t limit = 200;  // characters of an operand before "..."
  rewrite_trace steps;
  match_stats stats;
  options.trace = &steps;
  options.stats = &stats;
  options.stop_at_limit = true;
  const uop result = graph_rewrite(root, set, options);
  text out;
  for (const rewrite_step& s : steps)
    out << s.rule << ": " << render({root.owner, s.before}, limit) << " -> " << render({root.owner, s.after}, limit) << '\n';
  out << name(stats.stopped());
  for (size_t i = 0; i < stats.stopped_by().size(); ++i) out << (i == 0 ? " by \"" : ", \"") << stats.stopped_by()[i] << '"';
  return out << ": " << render(result, limit) << '\n';
}
constexpr text trace(uop root) { return trace(root, symbolic); }

// Text that a constexpr variable can hold.
template <size_t Capacity>
struct trace_text {
  char chars[Capacity]{};
  size_t length = 0;

  constexpr const char* c_str() const { return chars; }
  constexpr size_t size() const { return length; }
  constexpr operator text_view() const { return {chars, length}; }
  constexpr bool contains(text_view part) const { return text_view(*this).contains(part); }
  friend constexpr bool operator==(const trace_text& a, text_view b) { return text_view(a) == b; }
};

namespace detail {
inline void trace_needs_a_larger_capacity() { raise<rewrite_error>("the trace needs more characters than its capacity: trace<4096>(…)"); }
}  // namespace detail

// The same as a constant: constexpr auto steps = trace((i * 64 + j) / 64).
template <size_t Capacity = 2048, size_t A, size_t N>
constexpr trace_text<Capacity> trace(const expr<A>& e, const rule_set<N>& set, const rewrite_options& options = {}) {
  graph g(2 * A);
  const text all = trace(detail::load(g, e), set, options);
  trace_text<Capacity> out;
  if (all.size() >= Capacity) detail::trace_needs_a_larger_capacity();
  for (const char c : all.view()) out.chars[out.length++] = c;
  return out;
}
template <size_t Capacity = 2048, size_t A>
constexpr trace_text<Capacity> trace(const expr<A>& e) {
  return trace<Capacity>(e, symbolic);
}

}  // namespace twill
