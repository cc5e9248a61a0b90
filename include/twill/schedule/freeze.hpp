// Recordings and plans as flat lists of numbers, to be kept between constant evaluations: each stage of a static kernel is
// one evaluation, so that none comes near the compilers' limits.
#pragma once

#include "twill/base/words.hpp"
#include "twill/schedule/schedule.hpp"
#include "twill/tensor/tracer.hpp"

namespace twill {

// What the outputs depend on, each node after its sources, in the order in which the outputs lead to them: C++ does not say
// which operand of a + b is recorded first, and a program must not depend on that.
constexpr vector<u32> recording_order(const graph& g, span<const u32> outputs) {
  vector<u32> order, stack;
  vector<u8> state(g.size(), u8{0});  // 1: its sources are on the stack, 2: placed
  for (const u32 o : outputs) {
    stack.push_back(o);
    while (!stack.empty()) {
      const u32 id = stack.back();
      if (state[id] == 0) {
        state[id] = 1;
        const span<const u32> sources = g.sources(id);
        for (size_t i = sources.size(); i-- > 0;)
          if (state[sources[i]] == 0) stack.push_back(sources[i]);
        continue;
      }
      stack.pop_back();
      if (state[id] == 2) continue;
      state[id] = 2;
      order.push_back(id);
    }
  }
  return order;
}

// Only what the outputs depend on, renumbered; then the outputs.
constexpr vector<i64> pack_recording(const recorder& r, span<const u32> outputs) {
  vector<i64> w;
  const vector<u32> order = recording_order(r.nodes, outputs);
  vector<u32> number(r.nodes.size(), 0u);
  w.push_back(static_cast<i64>(order.size()));
  for (u32 i = 0; i < order.size(); ++i) {
    const u32 id = order[i];
    number[id] = i;
    const node& n = r.nodes.at(id);
    w.push_back(static_cast<i64>(n.code));
    w.push_back(static_cast<i64>(n.type.kind));
    w.push_back(static_cast<i64>(n.source_count));
    for (const u32 s : r.nodes.sources(id)) w.push_back(static_cast<i64>(number[s]));
    w.push_back(static_cast<i64>(n.argument_count));
    for (const i64 a : r.nodes.arguments(id)) w.push_back(a);
    w.push_back(static_cast<i64>(r.shapes[id].rank()));
    for (const sint& s : r.shapes[id]) w.push_back(s.bits);
  }
  w.push_back(static_cast<i64>(outputs.size()));
  for (const u32 o : outputs) w.push_back(static_cast<i64>(number[o]));
  return w;
}
// Into an empty recorder, for looking at: nothing may be recorded on.
constexpr vector<u32, 4> unpack_recording(span<const i64> words, recorder& out) {
  word_reader r(words);
  const i64 count = r.next();
  for (i64 i = 0; i < count; ++i) {
    const op code = static_cast<op>(r.next());
    const dtype type{static_cast<scalar_kind>(r.next())};
    vector<u32, 4> sources;
    for (const i64 s : r.next(static_cast<size_t>(r.next()))) sources.push_back(static_cast<u32>(s));
    const span<const i64> arguments = r.next(static_cast<size_t>(r.next()));
    out.nodes.append(code, type, sources, arguments);
    out.shapes.push_back(shape(r.next(static_cast<size_t>(r.next()))));
  }
  vector<u32, 4> outputs;
  for (const i64 o : r.next(static_cast<size_t>(r.next()))) outputs.push_back(static_cast<u32>(o));
  return outputs;
}

constexpr vector<i64> pack_plan(const schedule_plan& p) {
  vector<i64> w;
  w.push_back(static_cast<i64>(p.buffers.size()));
  for (const buffer_use& b : p.buffers) {
    w.push_back(static_cast<i64>(b.what));
    w.push_back(static_cast<i64>(b.number));
    w.push_back(static_cast<i64>(b.type.kind));
    w.push_back(b.elements);
  }
  w.push_back(static_cast<i64>(p.buffer_of.size()));
  for (const i64 b : p.buffer_of) w.push_back(b);
  w.push_back(static_cast<i64>(p.kernels.size()));
  for (const vector<u32>& k : p.kernels) {
    w.push_back(static_cast<i64>(k.size()));
    for (const u32 t : k) w.push_back(static_cast<i64>(t));
  }
  w.push_back(static_cast<i64>(p.temporaries));
  return w;
}
constexpr schedule_plan unpack_plan(span<const i64> words) {
  word_reader r(words);
  schedule_plan p;
  for (i64 n = r.next(); n > 0; --n) {
    buffer_use b;
    b.what = static_cast<buffer_use::kind>(r.next());
    b.number = static_cast<u32>(r.next());
    b.type = dtype{static_cast<scalar_kind>(r.next())};
    b.elements = r.next();
    p.buffers.push_back(b);
  }
  for (const i64 b : r.next(static_cast<size_t>(r.next()))) p.buffer_of.push_back(b);
  for (i64 n = r.next(); n > 0; --n) {
    vector<u32> targets;
    for (const i64 t : r.next(static_cast<size_t>(r.next()))) targets.push_back(static_cast<u32>(t));
    p.kernels.push_back(targets);
  }
  p.temporaries = static_cast<u32>(r.next());
  return p;
}

}  // namespace twill
