// How large the stages of static kernels are: nodes of the recorded graph, of the largest kernel tree, instructions of the
// largest program. Budget: 150 each, so that every stage is one constant evaluation at default limits.
#include <twill/lower/lower.hpp>
#include <twill/schedule/schedule.hpp>
#include <twill/tensor/functions.hpp>
#include <twill/tensor/tracer.hpp>

#include <cstdio>
#include <initializer_list>

namespace tw = twill;

namespace {

struct argument {
  tw::dtype type;
  tw::shape dims;
};

template <class F>
void report(const char* name, F f, std::initializer_list<argument> arguments) {
  tw::recorder r;
  tw::tracer x[6];
  size_t n = 0;
  for (const argument& a : arguments) {
    x[n] = tw::record_argument(r, static_cast<tw::i64>(n), a.type, a.dims);
    ++n;
  }
  tw::vector<tw::u32> outputs;
  f(x, outputs);
  for (const int bytes : {16, 32, 64}) {
    const tw::schedule_plan plan = tw::plan_kernels(r.nodes, r.shapes, outputs);
    size_t tree_nodes = 0, instructions = 0;
    for (size_t k = 0; k < plan.kernels.size(); ++k) {
      tw::kernel_tree tree;
      tw::build_kernel(r.nodes, r.shapes, plan, k, tree);
      tree_nodes = tree.nodes.size() > tree_nodes ? tree.nodes.size() : tree_nodes;
      tw::program p;
      tw::lower(tree, tw::cpu_machine(bytes), p);
      instructions = p.instructions.size() > instructions ? p.instructions.size() : instructions;
    }
    std::printf("| %s | %d | %zu | %zu | %zu | %zu |\n", name, bytes, plan.kernels.size(), r.nodes.size(), tree_nodes, instructions);
  }
}

}  // namespace

int main() {
  std::puts("| kernel | vector bytes | kernels | nodes recorded | nodes of the largest tree | instructions of the largest program |");
  std::puts("| --- | ---: | ---: | ---: | ---: | ---: |");
  const tw::dtype f = tw::float32;
  report("relu(matmul + b), 32 × 64 × 10", [](tw::tracer* x, tw::vector<tw::u32>& out) { out.push_back(tw::relu(tw::matmul(x[0], x[1]) + x[2]).id); },
         {{f, {32, 64}}, {f, {64, 10}}, {f, {10}}});
  report("matmul 64³", [](tw::tracer* x, tw::vector<tw::u32>& out) { out.push_back(tw::matmul(x[0], x[1]).id); }, {{f, {64, 64}}, {f, {64, 64}}});
  report("matmul 67 × 61 × 53", [](tw::tracer* x, tw::vector<tw::u32>& out) { out.push_back(tw::matmul(x[0], x[1]).id); }, {{f, {67, 61}}, {f, {61, 53}}});
  report("softmax 64 × 128", [](tw::tracer* x, tw::vector<tw::u32>& out) { out.push_back(tw::softmax(x[0], -1).id); }, {{f, {64, 128}}});
  report("softmax 5 × 1001", [](tw::tracer* x, tw::vector<tw::u32>& out) { out.push_back(tw::softmax(x[0], -1).id); }, {{f, {5, 1001}}});
  report("relu(a*b + c) - exp(-d*d), 1024",
         [](tw::tracer* x, tw::vector<tw::u32>& out) { out.push_back((tw::relu(x[0] * x[1] + x[2]) - tw::exp(-(x[3] * x[3]))).id); },
         {{f, {1024}}, {f, {1024}}, {f, {1024}}, {f, {1024}}});
  report("gradient step of a 64-64-10 MLP, 32 rows",
         [](tw::tracer* x, tw::vector<tw::u32>& out) {
           const tw::tracer h = tw::relu(tw::matmul(x[0], x[2]) + x[3]);
           const tw::tracer d = (tw::softmax(tw::matmul(h, x[4]) + x[5], -1) - tw::one_hot(x[1], 10)) * (1.0f / 32);
           const tw::tracer dh = tw::where(h > 0, tw::matmul(d, tw::transpose(x[4])), 0);
           out.push_back((x[2] - tw::matmul(tw::transpose(x[0]), dh) * 0.5f).id);
           out.push_back((x[3] - tw::sum(dh, 0) * 0.5f).id);
           out.push_back((x[4] - tw::matmul(tw::transpose(h), d) * 0.5f).id);
           out.push_back((x[5] - tw::sum(d, 0) * 0.5f).id);
         },
         {{f, {32, 64}}, {tw::int32, {32}}, {f, {64, 64}}, {f, {64}}, {f, {64, 10}}, {f, {10}}});
}
