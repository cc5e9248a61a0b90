// Runs a static program: temporaries, threads, and the inline executor for each of its kernels.
#pragma once

#include "twill/door/arguments.hpp"
#include "twill/door/static_program.hpp"
#include "twill/exec/inline.hpp"
#include "twill/runtime/parallel.hpp"

namespace twill {
inline namespace TWILL_ABI {

namespace detail_run {

// Scratch memory of the calling thread, kept for its next call.
inline void* thread_scratch(size_t bytes) {
  struct scratch {
    char* memory = nullptr;
    size_t bytes = 0;
    ~scratch() { delete[] memory; }
  };
  static thread_local scratch s;
  if (s.bytes < bytes) {
    delete[] s.memory;
    s.memory = new char[bytes];
    s.bytes = bytes;
  }
  return s.memory;
}

inline constexpr size_t stack_bytes = 16384;

template <class Source>
struct program_facts {
  static constexpr size_t kernels = detail::planning<Source>::kernels;
  static constexpr size_t buffer_count = unpack_plan(detail::planning<Source>::words.view()).buffers.size();
  struct buffer {
    buffer_use::kind what = buffer_use::kind::input;
    u32 number = 0;
    scalar_kind kind = scalar_kind::void_;
    i64 elements = 0;
    size_t offset = 0;  // of a temporary, in the workspace
  };
  struct table {
    buffer entries[buffer_count == 0 ? 1 : buffer_count];
    size_t workspace = 0;
  };
  static constexpr table buffers = [] {
    table t;
    const schedule_plan plan = unpack_plan(detail::planning<Source>::words.view());
    for (size_t i = 0; i < plan.buffers.size(); ++i) {
      const buffer_use& b = plan.buffers[i];
      t.entries[i] = {b.what, b.number, b.type.kind, b.elements, 0};
      if (b.what != buffer_use::kind::temporary) continue;
      t.entries[i].offset = t.workspace;
      t.workspace += (static_cast<size_t>(b.elements) * static_cast<size_t>(byte_size(b.type.kind)) + 63) / 64 * 64;
    }
    return t;
  }();
};

template <class Source, size_t K>
void run_kernel(void* const* memory) {
  using tag = detail::lowering<Source, K, TWILL_VECTOR_BYTES>;
  void* arguments[tag::facts.argument_count == 0 ? 1 : tag::facts.argument_count];
  for (u32 i = 0; i < tag::facts.argument_count; ++i) arguments[i] = memory[tag::facts.arguments[i]];
  constexpr i64 count = tag::program.parallel_count;
  if constexpr (tag::program.work >= parallel_work && count > 1) {
    parallel_for(0, count, 0, [](void* context, i64 begin, i64 end) { inline_executor<tag>::run(static_cast<void* const*>(context), begin, end); },
                 static_cast<void*>(arguments));
  } else {
    inline_executor<tag>::run(arguments, 0, count);
  }
}

// outputs and inputs: the memory of the function's results and arguments. workspace: at least program_facts<…>.workspace
// bytes, aligned to 64, or null.
template <class Source>
void run_program(void* const* outputs, void* const* inputs, char* workspace) {
  using facts = program_facts<Source>;
  if constexpr (facts::kernels > 0) {
    alignas(64) char stack[facts::buffers.workspace == 0 || facts::buffers.workspace > stack_bytes ? 64 : facts::buffers.workspace];
    if constexpr (facts::buffers.workspace > stack_bytes) {
      if (workspace == nullptr) {
        char* scratch = static_cast<char*>(thread_scratch(facts::buffers.workspace + 64));
        workspace = scratch + (64 - reinterpret_cast<std::uintptr_t>(scratch) % 64) % 64;
      }
    } else if (workspace == nullptr) {
      workspace = stack;
    }
    void* memory[facts::buffer_count];
    for (size_t i = 0; i < facts::buffer_count; ++i) {
      const auto& b = facts::buffers.entries[i];
      memory[i] = b.what == buffer_use::kind::input ? inputs[b.number] : b.what == buffer_use::kind::output ? outputs[b.number] : workspace + b.offset;
    }
    [&]<size_t... K>(std::index_sequence<K...>) { (run_kernel<Source, K>(memory), ...); }(std::make_index_sequence<facts::kernels>{});
  } else {
    (void)outputs, (void)inputs, (void)workspace;
  }
}

// May output o share the memory of input i?
template <class Source>
constexpr bool in_place_allowed(u32 output, u32 input) {
  using facts = program_facts<Source>;
  [[maybe_unused]] bool read = false;
  bool allowed = true;
  [&]<size_t... K>(std::index_sequence<K...>) {
    [[maybe_unused]] const auto visit = [&](const detail::kernel_facts& f) {
      bool stores = false, loads = false, elsewhere = false;
      for (u32 i = 0; i < f.argument_count; ++i) {
        const auto& b = facts::buffers.entries[f.arguments[i]];
        if (b.what == buffer_use::kind::output && b.number == output) stores = true;
        if (b.what == buffer_use::kind::input && b.number == input) {
          loads = loads || (f.read >> i & 1) != 0;
          elsewhere = elsewhere || (f.read_elsewhere >> i & 1) != 0;
        }
      }
      if (loads && (read || !stores || elsewhere)) allowed = false;
      read = read || loads;
    };
    (visit(detail::lowering<Source, K, TWILL_VECTOR_BYTES>::facts), ...);
  }(std::make_index_sequence<facts::kernels>{});
  return allowed;
}

template <class Source, size_t Outputs, size_t Inputs>
struct in_place {
  struct flags {
    bool allowed[Outputs][Inputs == 0 ? 1 : Inputs];
  };
  static constexpr flags table = [] {
    flags t{};
    for (u32 o = 0; o < Outputs; ++o)
      for (u32 i = 0; i < Inputs; ++i) t.allowed[o][i] = in_place_allowed<Source>(o, i);
    return t;
  }();
};

}  // namespace detail_run
}  // namespace TWILL_ABI
}  // namespace twill
