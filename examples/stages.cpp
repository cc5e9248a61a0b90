// One program through every stage of the compiler, printed: recorded graph, plan, kernel tree, opts, linear program, emitted
// C++ and CUDA, and the results of the ways out. docs/architecture.md quotes the output; scripts/update_docs.sh refreshes it.
//
//   stages              everything
//   stages SECTION      one section: graph, plan, tree, opts, program, cpp, cuda, run; softmax-tree, softmax-program
#include <twill/twill.hpp>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace tw = twill;
using namespace tw::literals;

namespace {

inline constexpr auto layer = [](auto x, auto w, auto b) { return tw::relu(tw::matmul(x, w) + b); };
inline constexpr auto softmax = [](auto x) { return tw::softmax(x, -1); };
struct dense : tw::kernel<layer, tw::f32<4, 8>, tw::f32<8, 16>, tw::f32<16>> {};

// The same machine everywhere, so that the output is the same everywhere: vectors of 32 bytes.
constexpr tw::machine avx = tw::cpu_machine(32);

// A function on float32 arguments of these shapes, as a tensor graph.
struct recorded {
  tw::recorder r;
  tw::vector<tw::u32, 4> outputs;

  template <class Fn, class... Shapes>
  explicit recorded(const Fn& fn, const Shapes&... arguments) {
    tw::i64 slot = 0;
    tw::recorder as_evaluated;
    tw::vector<tw::u32, 4> results;
    const tw::tracer x[]{tw::record_argument(as_evaluated, slot++, tw::float32, arguments)...};
    const auto result = [&]<std::size_t... I>(std::index_sequence<I...>) { return fn(x[I]...); }(std::index_sequence_for<Shapes...>{});
    tw::detail::add_output(results, as_evaluated, result);
    // Packing orders the nodes as the result leads to them, whatever operand C++ evaluated first.
    outputs = tw::unpack_recording(tw::pack_recording(as_evaluated, results), r);
  }
};

void print(const tw::text& t) { std::cout << t; }

void print_graph(const recorded& g) {
  for (tw::u32 id = 0; id < g.r.nodes.size(); ++id) {
    tw::text line;
    line << '%' << id << " = " << tw::name(g.r.nodes.at(id).code) << '.' << tw::to_text(g.r.nodes.at(id).type) << ' ' << g.r.shapes[id];
    bool first = true;
    for (const tw::u32 s : g.r.nodes.sources(id)) line << (first ? " of %" : ", %") << s, first = false;
    const bool reduces = g.r.nodes.at(id).code == tw::op::REDUCE_AXIS;
    first = true;
    for (const tw::i64 a : g.r.nodes.arguments(id)) {
      line << (first ? "; " : " ");
      if (first && reduces) line << tw::name(static_cast<tw::op>(a));
      else line << a;
      first = false;
    }
    print(line << '\n');
  }
  for (const tw::u32 o : g.outputs) std::cout << "output: %" << o << '\n';
}

const char* kind_name(tw::buffer_use::kind k) {
  return k == tw::buffer_use::kind::input ? "argument " : k == tw::buffer_use::kind::output ? "result " : "temporary ";
}
void print_plan(const tw::schedule_plan& plan) {
  for (std::size_t b = 0; b < plan.buffers.size(); ++b)
    print(tw::text("buffer ") << b << ": " << kind_name(plan.buffers[b].what) << plan.buffers[b].number << ", " << plan.buffers[b].elements
                              << " x " << tw::to_text(plan.buffers[b].type) << '\n');
  for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
    tw::text line("kernel ");
    line << k << " stores";
    for (const tw::u32 node : plan.kernels[k]) line << " %" << node << " to buffer " << plan.buffer_of[node];
    print(line << '\n');
  }
}

void print_view(tw::text& out, const tw::shapetracker& st) {
  for (const tw::view& v : st.views()) {
    out << " (";
    for (std::size_t a = 0; a < v.rank(); ++a) out << (a == 0 ? "" : ", ") << v.axis(a).size << " by " << v.axis(a).stride;
    out << ")";
  }
}
void print_tree(const tw::kernel_tree& k) {
  tw::text head("outer axes:");
  for (const tw::i64 n : k.outer) head << ' ' << n;
  print(head << "; operations: " << k.flops << '\n');
  for (std::size_t v = 0; v < k.views.size(); ++v) {
    tw::text line("view ");
    line << v << ':';
    print_view(line, k.views[v]);
    print(line << '\n');
  }
  for (std::size_t s = 0; s < k.stages.size(); ++s) {
    tw::text line("stage ");
    line << s << ", inner axes:";
    if (k.stages[s].inner.empty()) line << " none";
    for (const tw::i64 n : k.stages[s].inner) line << ' ' << n;
    line << "; roots:";
    for (const tw::u32 r : k.stages[s].roots) line << " %" << r;
    print(line << '\n');
  }
  for (tw::u32 id = 0; id < k.nodes.size(); ++id) {
    const tw::op code = k.nodes.at(id).code;
    const auto arguments = k.nodes.arguments(id);
    tw::text line("  %");
    line << id << " = " << tw::name(code);
    if (code == tw::op::LOAD || code == tw::op::STORE) line << " buffer " << arguments[0] << " by view " << arguments[1];
    else if (code == tw::op::REDUCE_AXIS) line << ' ' << tw::name(static_cast<tw::op>(arguments[0]));
    else if (code == tw::op::CONST) line << ' ' << tw::render_constant(k.nodes.at(id).type, arguments[0]);
    bool first = true;
    for (const tw::u32 source : k.nodes.sources(id)) line << (first ? " of %" : ", %") << source, first = false;
    print(line << '\n');
  }
}

void print_opts(const tw::kernel_tree& k, const tw::kernel_opts& o) {
  const auto line = [](const char* where, std::size_t i, tw::i64 size, const tw::axis_opt& a) {
    print(tw::text(where) << ' ' << i << " of " << size << ": tile of " << a.upcast << (a.upcast == 1 ? " element" : " elements")
                          << (a.lanes == 1 ? "" : ", each a vector of ") << (a.lanes == 1 ? tw::text() : tw::text() << a.lanes << " lanes") << '\n');
  };
  for (std::size_t i = 0; i < o.outer.size(); ++i) line("outer axis", i, k.outer[i], o.outer[i]);
  for (std::size_t s = 0; s < o.inner.size(); ++s)
    if (!k.stages[s].inner.empty()) line("last inner axis of stage", s, k.stages[s].inner.back(), o.inner[s]);
}

// The kernel's own code, without the types and helpers that stand before it.
std::string body_of(const std::string& source) {
  const std::size_t at = source.find("extern \"C\"");
  return at == std::string::npos ? source : source.substr(at);
}

// Runs the program by the interpreter, by emitted code (or the interpreter again, without a compiler) and inline.
bool run_all(const tw::program& p) {
  std::vector<float> x(32), w(128), b(16), interpreted(64), inlined(64);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 5) - 2;
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i % 7) - 3;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i);
  void* memory[]{interpreted.data(), x.data(), w.data(), b.data()};
  tw::pointer_memory pointers(memory);
  tw::interpret(tw::view_of(p), pointers, 0, p.parallel_count);
  dense::run(inlined, x, w, b);
  const std::vector<float> emitted = layer(tw::tensor::from(x, {4, 8}), tw::tensor::from(w, {8, 16}), tw::tensor::from(b, {16})).to_vector<float>();
  const auto row = [](const char* who, const std::vector<float>& v) {
    std::cout << who;
    for (std::size_t j = 0; j < 16; ++j) std::cout << ' ' << v[j];
    std::cout << '\n';
  };
  row("interpreter: ", interpreted);
  row("inline:      ", inlined);
  row("emitted C++: ", emitted);
  return interpreted == inlined && inlined == emitted;  // small whole numbers: exact in any order
}

}  // namespace

int main(int argc, char** argv) {
  const std::string only = argc > 1 ? argv[1] : "";
  bool ok = true, any = false;
  const auto section = [&](const char* name, auto&& body) {
    if (!only.empty() && only != name) return;
    if (only.empty()) std::cout << (any ? "\n" : "") << "== " << name << '\n';
    any = true;
    body();
  };

  const recorded g(layer, tw::shape(4, 8), tw::shape(8, 16), tw::shape(16));
  const tw::schedule_plan plan = tw::plan_kernels(g.r.nodes, g.r.shapes, g.outputs);
  tw::kernel_tree tree;
  tw::build_kernel(g.r.nodes, g.r.shapes, plan, 0, tree);
  section("graph", [&] { print_graph(g); });
  section("plan", [&] { print_plan(plan); });
  tw::merge_axes(tree);
  section("tree", [&] { print_tree(tree); });
  const tw::kernel_opts opts = tw::choose_opts(tree, avx);
  section("opts", [&] { print_opts(tree, opts); });
  tw::program program, cuda;
  tw::lower(tree, opts, program);
  tw::lower(tree, tw::choose_opts(tree, tw::cuda_machine), cuda);
  section("program", [&] { print(tw::program_text(tw::view_of(program))); });
  section("cpp", [&] { std::cout << body_of(tw::render_cpp(tw::view_of(program), "layer")); });
  section("cuda", [&] { std::cout << body_of(tw::render_cuda(tw::view_of(cuda), "layer")); });
  section("run", [&] { ok = run_all(program); });

  const recorded s(softmax, tw::shape(3, 20));
  const tw::schedule_plan softmax_plan = tw::plan_kernels(s.r.nodes, s.r.shapes, s.outputs);
  tw::kernel_tree rows;
  tw::build_kernel(s.r.nodes, s.r.shapes, softmax_plan, 0, rows);
  tw::merge_axes(rows);
  section("softmax-tree", [&] { print_tree(rows); });
  section("softmax-program", [&] {
    tw::program lowered;
    tw::lower(rows, tw::choose_opts(rows, avx), lowered);
    print(tw::program_text(tw::view_of(lowered)));
  });
  if (!any) std::cerr << "no such section: " << only << '\n';
  return ok && any ? EXIT_SUCCESS : EXIT_FAILURE;
}
