// CUDA text to a CUBIN or PTX image, by nvcc. Needs no GPU.
#pragma once

#include "twill/runtime/disk_cache.hpp"
#include "twill/runtime/host_compiler.hpp"

namespace twill {

enum class cuda_image : u8 { cubin, ptx };

struct cuda_result {
  vector<char> image;  // empty: it failed
  text message;        // why
  text command;
  text output;  // the compiler's
  explicit operator bool() const { return !image.empty(); }
};

// TWILL_NVCC (a path or several words, as TWILL_CXX), else CUDA_HOME/bin/nvcc, else nvcc in PATH, else the usual place.
inline vector<text> find_cuda_compiler() {
  vector<text> words = detail::command_words(posix::environment("TWILL_NVCC"));
  if (!words.empty()) return words[0].empty() ? vector<text>() : words;
  text path;
  const text_view home = posix::environment("CUDA_HOME");
  if (!home.empty()) path = detail::find_program(posix::join(home, "bin/nvcc"));
  if (path.empty()) path = detail::find_program("nvcc");
  if (path.empty()) path = detail::find_program("/usr/local/cuda/bin/nvcc");
  if (!path.empty()) words.push_back(path);
  return words;
}

inline cuda_result compile_cuda(text_view source, text_view architecture = "sm_90", cuda_image kind = cuda_image::cubin) {
  cuda_result result;
  vector<text> command = find_cuda_compiler();
  if (command.empty()) {
    const text_view asked = posix::environment("TWILL_NVCC");
    result.message << "there is no CUDA compiler: ";
    if (asked.empty())
      result.message << "no nvcc in CUDA_HOME/bin, PATH or /usr/local/cuda/bin";
    else
      result.message << "TWILL_NVCC is '" << asked << "', which is no program";
    return result;
  }
  posix::scratch_directory scratch;
  const text source_path = scratch ? scratch.file("kernel.cu") : text();
  const text output = scratch ? scratch.file("kernel.image") : text();
  posix::unique_fd file = posix::open_file(source_path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!file || !posix::write_all(file.get(), source.data(), source.size())) {
    result.message = text("there is nowhere to compile: TMPDIR cannot be written");
    return result;
  }
  file.reset();
  text target("-arch=");
  target << architecture;
  const text_view form = kind == cuda_image::cubin ? "-cubin" : "-ptx";
  for (text_view word : {text_view("-std=c++17"), text_view("-O3"), text_view("-fmad=false"), target.view(), form, text_view("-o"),
                         output.view(), source_path.view()})
    command.push_back(text(word));
  result.command = printable_command(command);
  const double timeout = static_cast<double>(posix::environment_integer("TWILL_COMPILE_TIMEOUT", 120)) * 1000;
  const process_outcome outcome = run_process(command, timeout);
  result.output = outcome.output;
  if (outcome.succeeded() && read_file(output, result.image) && !result.image.empty()) return result;
  result.image.clear();
  result.message << describe(outcome, command, timeout);
  return result;
}

}  // namespace twill
