// The recording operand of the static path: records a function on operands whose shapes are known into a graph, in
// constant evaluation. The first problem is kept and recording goes on with a stand-in, so that nothing cascades.
#pragma once

#include "twill/ir/uop.hpp"
#include "twill/tensor/operand.hpp"

namespace twill {

struct recorder {
  graph nodes;
  vector<shape> shapes;  // by node id
  problem shape_problem;
  dtype_problem type_problem;
};

struct tracer {
  using twill_recording_operand = void;
  recorder* owner = nullptr;
  u32 id = 0;

  constexpr const twill::shape& shape() const { return owner->shapes[id]; }
  constexpr dtype type() const { return owner->nodes.at(id).type; }
  constexpr bool is_constant() const { return owner->nodes.at(id).code == op::CONST; }
  constexpr tracer make(op code, dtype type, const twill::shape& dims, span<const tracer> sources, span<const i64> arguments) const {
    vector<u32, 8> ids;
    for (const tracer& s : sources) ids.push_back(s.id);
    const u32 made = owner->nodes.intern(code, type, {ids.data(), ids.size()}, arguments);
    if (made == owner->shapes.size()) owner->shapes.push_back(dims);
    return {owner, made};
  }
  constexpr tracer fail(const problem& p, const twill::shape& stand_in) const {
    if (!owner->shape_problem && !owner->type_problem) owner->shape_problem = p;
    vector<i64, 8> words{-1};
    for (const sint& n : stand_in) words.push_back(n.bits < 0 ? 1 : n.bits);
    twill::shape dims = stand_in;
    for (sint& n : span<sint>(dims.data(), dims.rank()))
      if (n.bits < 0) n = 1;
    return make(op::BUFFER, type(), dims, {}, words);
  }
  constexpr void fail(const dtype_problem& p) const {
    if (!owner->shape_problem && !owner->type_problem) owner->type_problem = p;
  }
};

// The slot-th argument of the recorded function.
constexpr tracer record_argument(recorder& r, i64 slot, dtype type, const shape& dims) {
  vector<i64, 8> words{slot};
  for (const sint& n : dims) words.push_back(n.bits);
  return tracer{&r, 0}.make(op::BUFFER, type, dims, {}, words);
}

}  // namespace twill
