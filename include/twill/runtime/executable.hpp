// A schedule made ready to run on this machine: each kernel compiled by the host compiler and loaded, or interpreted.
#pragma once

#include "twill/exec/interpreter.hpp"
#include "twill/lower/lower.hpp"
#include "twill/render/cpp.hpp"
#include "twill/render/cuda.hpp"
#include "twill/runtime/module.hpp"
#include "twill/runtime/parallel.hpp"
#include "twill/runtime/warning.hpp"
#include "twill/schedule/freeze.hpp"

namespace twill {

// How run-time kernels are executed. automatic: compiled, or interpreted (with one warning) where that fails; compiled:
// a failure raises compile_error; interpreted: no compiler is asked.
enum class execution : u8 { automatic, compiled, interpreted };
inline execution& execution_setting() {
  static execution setting = execution::automatic;
  return setting;
}
// Applies to kernels made from now on. Returns the previous setting.
inline execution set_execution(execution how) {
  const execution previous = execution_setting();
  execution_setting() = how;
  return previous;
}

enum class lang : u8 { cpp, cuda };

// The widest vectors of the processor that this process runs on, which is also what emitted code is compiled for.
inline machine native_machine() {
#if defined(__x86_64__) || defined(__i386__)
  static const int bytes = __builtin_cpu_supports("avx512f") ? 64 : __builtin_cpu_supports("avx") ? 32 : 16;
#else
  static const int bytes = 16;
#endif
  return cpu_machine(bytes);
}

// One kernel of a schedule.
class executable_kernel {
 public:
  executable_kernel() = default;
  // The linear program for this machine.
  const twill::program& program() const { return program_; }
  // The one for CUDA: a thread for each index of the outer axes.
  const twill::program& cuda_program() const { return cuda_program_; }
  const vector<u32, 8>& arguments() const { return arguments_; }
  i64 flops() const { return flops_; }
  bool interpreted() const { return ready_ && entry_ == nullptr; }
  const compile_report& report() const { return report_; }
  // A self-contained translation unit (C++) or kernel (CUDA) without includes.
  text source(lang language) const { return language == lang::cpp ? render_cpp(view_of(program_), symbol) : render_cuda(view_of(cuda_program_), symbol); }

  void prepare() {
    if (ready_) return;
    ready_ = true;
    if (execution_setting() == execution::interpreted) return;
    const load_result loaded = load_or_compile(source(lang::cpp), symbol, &report_);
    entry_ = loaded.entry;
    if (entry_ != nullptr) return;
    if (execution_setting() == execution::compiled) {
      ready_ = false;
      raise<compile_error>(loaded.message);
    }
    text message("kernels are interpreted, which is slow: ");
    message << loaded.message;
    warn_once(warning::interpreting, message);
  }
  void run(void* const* memory) const {
    call c{this, memory};
    if (program_.work >= parallel_work && program_.parallel_count > 1) parallel_for(0, program_.parallel_count, 0, &executable_kernel::run_range, &c);
    else run_range(&c, 0, program_.parallel_count);
  }

  static constexpr const char* symbol = "twill_kernel";

 private:
  friend class executable;
  struct call {
    const executable_kernel* kernel;
    void* const* memory;
  };
  static void run_range(void* context, i64 begin, i64 end) {
    const call& c = *static_cast<const call*>(context);
    if (c.kernel->entry_ != nullptr) {
      c.kernel->entry_(c.memory, begin, end);
      return;
    }
    pointer_memory memory(c.memory);
    interpret(view_of(c.kernel->program_), memory, begin, end);
  }

  twill::program program_, cuda_program_;
  vector<u32, 8> arguments_;  // numbers in the plan's buffer table
  i64 flops_ = 0;
  kernel_entry entry_ = nullptr;
  bool ready_ = false;
  compile_report report_;
};

class executable {
 public:
  executable(const recorder& r, span<const u32> outputs) : plan_(plan_kernels(r.nodes, r.shapes, outputs)) {
    kernels_.resize(plan_.kernels.size());
    for (size_t k = 0; k < kernels_.size(); ++k) {
      executable_kernel& kernel = kernels_[k];
      kernel_tree tree;
      build_kernel(r.nodes, r.shapes, plan_, k, tree);
      kernel.flops_ = tree.flops;
      kernel.arguments_ = tree.arguments;
      merge_axes(tree);
      lower(tree, choose_opts(tree, native_machine()), kernel.program_);
      lower(tree, choose_opts(tree, cuda_machine), kernel.cuda_program_);
    }
    for (const buffer_use& b : plan_.buffers) {
      offsets_.push_back(workspace_);
      if (b.what == buffer_use::kind::temporary)
        workspace_ += (static_cast<size_t>(b.elements) * static_cast<size_t>(byte_size(b.type)) + 63) / 64 * 64;
    }
  }

  const vector<executable_kernel>& kernels() const { return kernels_; }
  const schedule_plan& plan() const { return plan_; }
  size_t workspace_bytes() const { return workspace_; }
  void prepare() {
    for (executable_kernel& k : kernels_) k.prepare();
  }
  // workspace: workspace_bytes() bytes, aligned to 64.
  void run(void* const* outputs, void* const* inputs, char* workspace) const {
    vector<void*, 16> memory;
    for (size_t i = 0; i < plan_.buffers.size(); ++i) {
      const buffer_use& b = plan_.buffers[i];
      memory.push_back(b.what == buffer_use::kind::input ? inputs[b.number] : b.what == buffer_use::kind::output ? outputs[b.number] : workspace + offsets_[i]);
    }
    vector<void*, 16> arguments;
    for (const executable_kernel& k : kernels_) {
      arguments.clear();
      for (const u32 a : k.arguments()) arguments.push_back(memory[a]);
      k.run(arguments.data());
    }
  }

 private:
  schedule_plan plan_;
  vector<executable_kernel> kernels_;
  vector<size_t> offsets_;  // of temporaries in the workspace, by buffer
  size_t workspace_ = 0;
};

}  // namespace twill
