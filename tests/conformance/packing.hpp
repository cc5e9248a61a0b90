// Expressions as lists of words, in constant evaluation too: the nodes one after the other, sources first, each as op, dtype,
// number of sources, number of arguments, places of sources, arguments.
#pragma once

#include "twill/ir/uop.hpp"

namespace conformance {

constexpr twill::uop unpacked(twill::graph& g, twill::span<const twill::i64> words) {
  using namespace twill;
  vector<u32> ids;
  for (size_t at = 0; at < words.size();) {
    const u64 type = static_cast<u64>(words[at + 1]);
    const size_t sources = static_cast<size_t>(words[at + 2]), arguments = static_cast<size_t>(words[at + 3]);
    vector<u32, 4> places;
    for (size_t i = 0; i < sources; ++i) places.push_back(ids[static_cast<size_t>(words[at + 4 + i])]);
    const dtype made{static_cast<scalar_kind>(type & 255), static_cast<address_space>(type >> 8 & 255),
                     static_cast<u16>(type >> 16 & 65535), static_cast<u32>(type >> 32)};
    ids.push_back(g.intern(static_cast<op>(words[at]), made, {places.data(), sources}, words.subspan(at + 4 + sources, arguments)));
    at += 4 + sources + arguments;
  }
  return {&g, ids.back()};
}

// In the order in which operands are met, which does not depend on the order in which compilers made the nodes.
constexpr twill::vector<twill::i64> packed(twill::uop root) {
  using namespace twill;
  vector<i64> out;
  vector<u32> place(root.id + size_t{1}, u32{0}), stack{root.id};  // place + 1; 0: not yet written
  u32 count = 0;
  while (!stack.empty()) {
    const uop u{root.owner, stack.back()};
    if (place[u.id] != 0) {
      stack.pop_back();
      continue;
    }
    const size_t before = stack.size();
    for (size_t i = u.source_count(); i-- > 0;)
      if (place[u.source(i).id] == 0) stack.push_back(u.source(i).id);
    if (stack.size() != before) continue;
    out.push_back(static_cast<i64>(u.code()));
    out.push_back(static_cast<i64>(u.type().word()));
    out.push_back(static_cast<i64>(u.source_count()));
    out.push_back(static_cast<i64>(u.argument_count()));
    for (size_t i = 0; i < u.source_count(); ++i) out.push_back(place[u.source(i).id] - 1);
    for (const i64 word : u.arguments()) out.push_back(word);
    place[u.id] = ++count;
    stack.pop_back();
  }
  return out;
}

}  // namespace conformance
