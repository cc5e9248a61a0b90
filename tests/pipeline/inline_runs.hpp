// Runs functions as static kernels, recorded, planned and lowered by the compiler, and holds the results against the
// reference and the interpreter running the very same programs.
#pragma once

#include "catch.hpp"
#include "pipeline/runs.hpp"
#include "twill/kernel.hpp"

namespace pipeline {

struct float16_element {
  u16 bits = 0;
  static constexpr dtype twill_dtype() { return twill::float16; }
};
struct bfloat16_element {
  u16 bits = 0;
  static constexpr dtype twill_dtype() { return twill::bfloat16; }
};

// Arguments of the specs: small numbers, or (edges) also NaN, infinities, limits and zeros.
inline std::vector<argument> arguments_for(const recorder& r, size_t count, bool edges) {
  random_numbers random(edges ? 7 : 3);
  std::vector<argument> all(count);
  for (u32 id = 0; id < r.nodes.size(); ++id) {
    if (r.nodes.at(id).code != op::BUFFER) continue;
    argument& a = all[static_cast<size_t>(r.nodes.arguments(id)[0])];
    a.type = r.nodes.at(id).type;
    a.dims = r.shapes[id];
    const scalar_kind kind = a.type.kind;
    for (i64 i = a.dims.elements(); i > 0; --i) {
      static constexpr double floats[] = {0.0, -0.0, __builtin_inf(), -__builtin_inf(), __builtin_nan(""), 0x1p-149, 3e38, -1.0};
      const bool edge = edges && random.chance(30);
      if (is_float(kind)) {
        const double v = edge ? floats[random.below(8)] : random.chance(50) ? static_cast<double>(random.below(33) - 16) / 4 : (random.unit() - 0.5) * 6;
        a.words.push_back(word_of(round_to(kind, v)));
      } else {
        const i64 limits[] = {min_value(kind), max_value(kind), -1, 0};
        a.words.push_back(wrap(kind, edge ? limits[random.below(4)] : random.below(25) - (is_signed(kind) ? 12 : 0)));
      }
    }
  }
  return all;
}

template <class Source, size_t K>
void add_kernel(prepared& p, std::vector<program_view>& programs) {
  using tag = detail::lowering<Source, K, TWILL_VECTOR_BYTES>;
  programs.push_back(tag::program.view());
  p.kernels.emplace_back();
  p.kernels.back().parallel_count = tag::program.parallel_count;
  p.buffers.emplace_back(tag::facts.arguments, tag::facts.arguments + tag::facts.argument_count);
}

// f: a captureless function of operands.
template <class... Specs, class F>
void check(const char* what, F) {
  constexpr F function{};
  using source = detail::kernel_source<function, Specs...>;
  using recorded = detail::recording<source>;
  const auto r = std::make_unique<recorder>();
  const vector<u32, 4> outputs = unpack_recording(recorded::words.view(), *r);

  prepared p;
  p.plan = unpack_plan(detail::planning<source>::words.view());
  std::vector<program_view> programs;
  [&]<size_t... K>(std::index_sequence<K...>) { (add_kernel<source, K>(p, programs), ...); }(std::make_index_sequence<detail::planning<source>::kernels>{});

  for (const bool edges : {false, true})
    for (const bool at_end : {true, false}) {
      const std::vector<argument> arguments = arguments_for(*r, sizeof...(Specs), edges);
      const expectation e = expect(*r, outputs, arguments, {true, false});
      INFO(what << (edges ? ", edge values" : "") << "\n" << source_of(*r, outputs));
      const outcome interpreted =
          run_prepared(p, arguments, at_end, 0, [&](size_t k, void* const* pointers, i64 begin, i64 end) { interpret(programs[k], pointers, begin, end); });
      CHECK(difference(e, interpreted, false) == "");

      guarded_memory memory;
      std::vector<void*> results, inputs;
      for (const u32 o : outputs) results.push_back(memory.block(static_cast<size_t>(r->shapes[o].elements() * byte_size(r->nodes.at(o).type.kind)), at_end));
      for (const argument& a : arguments) {
        unsigned char* const block = memory.block(a.words.size() * static_cast<size_t>(byte_size(a.type.kind)), at_end);
        write_words(block, a.type.kind, a.words);
        inputs.push_back(block);
      }
      [&]<size_t... O, size_t... I>(std::index_sequence<O...>, std::index_sequence<I...>) {
        constexpr bool halves = (... || (recorded::output_type(O) == twill::float16 || recorded::output_type(O) == twill::bfloat16));
        if constexpr (halves) detail_run::run_program<source>(results.data(), inputs.data(), nullptr);  // there is no C++ type for them
        else kernel<function, Specs...>::run(static_cast<element_type<recorded::output_type(O).kind>*>(results[O])..., static_cast<const typename Specs::element*>(inputs[I])...);
      }(std::make_index_sequence<recorded::output_count>{}, std::make_index_sequence<sizeof...(Specs)>{});
      outcome found;
      found.intact = memory.intact();
      for (size_t o = 0; o < outputs.size(); ++o)
        found.results.push_back(read_words(static_cast<const unsigned char*>(results[o]), r->nodes.at(outputs[o]).type.kind, r->shapes[outputs[o]].elements()));
      CHECK(difference(e, found, false) == "");
    }
}

}  // namespace pipeline
