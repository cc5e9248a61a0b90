#!/usr/bin/env python3
"""Measures what simplify costs in constant evaluation: against the nodes of an index expression, its depth, and the rules.

Steps are clang's (the smallest -fconstexpr-steps that still builds), for one simplification. Seconds are user time of g++ and clang
beyond the same translation unit without the evaluations, of which it holds five, each of an expression of its own; divided by five.
Medians of interleaved rounds.

    benchmarks/constant_evaluation.py                  prints the tables
    benchmarks/constant_evaluation.py --write          and writes them into docs/compile_time.md, between its markers
"""

import argparse
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import compile_time

BEGIN, END = "<!-- constant_evaluation.py: begin -->", "<!-- constant_evaluation.py: end -->"
EVALUATIONS = 5

SOURCE = """#include <twill/symbolic.hpp>
inline constexpr auto set = SET;
constexpr twill::uop expression(twill::graph& g, int seed) {
  using namespace twill;
  EXPRESSION
}
constexpr twill::size_t rewritten(int seed) {
  twill::graph g;
  return twill::toposort(twill::graph_rewrite(expression(g, seed), set)).size();
}
constexpr twill::size_t nodes(int seed) {
  twill::graph g;
  return twill::toposort(expression(g, seed)).size();
}
EVALUATE
#ifdef PRINT
#include <cstdio>
int main() { std::printf("%zu %zu %zu\\n", nodes(0), rewritten(0), set.size()); }
#else
int main() {}
#endif
"""

# A tiled and padded index, COUNT parts of it added up.
TILED = """const uop a = g.var("a", 0, 31), b = g.var("b", 0, 31), c = g.var("c", 0, 63 + seed);
  const uop flat = (a * 32 + b) * 64 + c;
  uop e = flat / 256 % 16;
  for (int k = 1; k < COUNT; ++k) e = e * 16 + (flat + k * 3) / (k + 2) % (4 * k + 3) + (c + k) / 3 % 5;
  return e;"""
# What the design's budget is about: about 40 nodes, a convolution's padded input.
PADDED = """const uop a = g.var("a", 0, 31), b = g.var("b", 0, 31), c = g.var("c", 0, 63 + seed), r = g.var("r", 0, 8);
  const uop flat = (a * 32 + b) * 64 + c, y = flat / 256 % 16 + r / 3, x = flat / 16 % 16 + r % 3;
  return where((0 < y) & (y < 17) & (0 < x) & (x < 17), ((flat / 4096 * 16 + flat % 16) * 16 + y) * 16 + x - 17, g.constant(int32, i64{0}));"""
DEEP = """uop e = g.var("x", 0, 4096 + seed);
  for (int k = 0; k < COUNT; ++k) e = max(e / 2 + k % 3, e % (64 + k));
  return e;"""
ALL = "twill::symbolic"
FEW = "twill::combine(twill::symbolic_rules::arithmetic, twill::symbolic_rules::divmod)"
SETS = [FEW, f"twill::combine({FEW}, twill::symbolic_rules::simple)", ALL]

CURVES = [
    ("nodes, all rules", [(TILED.replace("COUNT", str(count)), ALL) for count in (1, 2, 4, 8, 16)]),
    ("the padded input of a convolution, by rules", [(PADDED, rules) for rules in SETS]),
    ("depth, all rules", [(DEEP.replace("COUNT", str(count)), ALL) for count in (5, 20, 60)]),
]


def source(expression, rules, evaluations):
    evaluate = "\n".join(f"static_assert(rewritten({seed}) > 0);" for seed in range(evaluations))
    return SOURCE.replace("SET", rules).replace("EXPRESSION", expression).replace("EVALUATE", evaluate)


class Point:
    def __init__(self, folder, number, expression, rules):
        self.paths = {}
        for evaluations in (0, 1, EVALUATIONS):
            self.paths[evaluations] = folder / f"point_{number}_{evaluations}.cpp"
            self.paths[evaluations].write_text(source(expression, rules, evaluations))
        program = folder / f"point_{number}"
        subprocess.run(["g++", *compile_time.FLAGS, "-O1", "-DPRINT", self.paths[0], "-o", program], check=True)
        self.nodes, self.after, self.rules = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
        self.seconds = {}
        self.fails = set()

    def measure(self, compiler, output):
        if compiler in self.fails:
            return
        runs = [compile_time.compile_once(compiler, [*compile_time.FLAGS, "-O0"], self.paths[n], output) for n in (0, EVALUATIONS)]
        if runs[1] is None:
            self.fails.add(compiler)
        else:
            self.seconds.setdefault(compiler, []).append((runs[1][0] - runs[0][0]) / EVALUATIONS)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the tables into docs/compile_time.md")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--compilers", nargs="+", default=["g++", "clang++-19"], metavar="CXX")
    options = parser.parse_args()
    compilers = [name for name in options.compilers if shutil.which(name)]

    lines = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        curves, number = [], 0
        for title, points in CURVES:
            curve = []
            for expression, rules in points:
                curve.append(Point(folder, number, expression, rules))
                number += 1
            curves.append((title, curve))
        for count in range(options.rounds):
            for _, curve in curves:
                for point in curve:
                    for compiler in compilers:
                        point.measure(compiler, folder / "out.o")
            print(f"round {count + 1} of {options.rounds}", file=sys.stderr)
        clang = next((compiler for compiler in compilers if "clang" in compiler), None)
        for title, curve in curves:
            lines += [f"### {title[0].upper()}{title[1:]}", "",
                      "| nodes | after | rules |" + " steps |" * bool(clang) + "".join(f" {compiler} ms |" for compiler in compilers),
                      "| ---: | ---: | ---: |" + " ---: |" * (len(compilers) + bool(clang))]
            for point in curve:
                cells = [point.nodes, point.after, point.rules]
                if clang:
                    steps = compile_time.constexpr_steps(clang, point.paths[1])
                    cells.append(f"{steps:,}" if steps else "beyond the default limit")
                for compiler in compilers:
                    runs = point.seconds.get(compiler)
                    cells.append(f"{statistics.median(runs) * 1e3:.0f}" if runs else "fails")
                lines.append("| " + " | ".join(cells) + " |")
            lines.append("")
    report = "\n".join(lines)
    print(report)
    if options.write:
        text = compile_time.REPORT.read_text()
        if BEGIN not in text or END not in text:
            sys.exit(f"{compile_time.REPORT.name} has no markers {BEGIN} and {END}")
        compile_time.REPORT.write_text(f"{text.split(BEGIN)[0]}{BEGIN}\n\n{report}\n{END}{text.split(END)[1]}")


if __name__ == "__main__":
    main()
