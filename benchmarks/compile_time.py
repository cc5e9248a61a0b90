#!/usr/bin/env python3
"""Measures what twill costs a translation unit: compile time, peak memory, steps of constant evaluation.

For each compiler and each of -O0 and -O2: an empty main, each public door's include over it, and each program of
tests/programs. Rounds are interleaved (every unit once, then every unit again), so that a busy moment of the machine
spreads over all of them; the median is reported. User seconds and peak memory are those of the compiler's processes.

No compiler prints how many steps a constant evaluation took, so for clang the smallest -fconstexpr-steps with which a
program still builds is searched: the steps of its largest constant expression. The default limit is 1,048,576.

    benchmarks/compile_time.py                  prints the tables
    benchmarks/compile_time.py --write          and writes them into docs/compile_time.md, between the markers
"""

import argparse
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"
REPORT = ROOT / "docs" / "compile_time.md"
BEGIN, END = "<!-- compile_time.py: begin -->", "<!-- compile_time.py: end -->"
FLAGS = ["-std=c++20", f"-I{INCLUDE}"]
LEVELS = ["-O0", "-O2"]
CLANG_LIMIT = 1 << 20


@dataclass
class Unit:
    """A translation unit and its measurements: (compiler, level) -> [(seconds, MiB)]."""

    name: str
    path: pathlib.Path
    is_program: bool = False
    runs: dict = field(default_factory=dict)

    def median(self, compiler, level, what):
        runs = self.runs.get((compiler, level))
        return statistics.median(run[what] for run in runs) if runs else None


def compile_once(compiler, flags, path, output):
    """Compiles and returns (user seconds, peak MiB) of the driver and its children, or None if that fails.

    The driver runs the compiler proper as its own child, whose use only counts once the driver is waited for: so each
    run has a process of its own that reports RUSAGE_CHILDREN.
    """
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        code = 1
        try:
            import resource

            code = subprocess.run([compiler, *flags, "-c", path, "-o", output], capture_output=True).returncode
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            os.write(write, f"{usage.ru_utime} {usage.ru_maxrss / 1024}".encode())
        finally:
            os._exit(1 if code else 0)
    os.close(write)
    with os.fdopen(read) as pipe:
        report = pipe.read()
    _, status = os.waitpid(pid, 0)
    if status != 0 or not report:
        return None
    seconds, memory = map(float, report.split())
    return seconds, memory


def constexpr_steps(compiler, path):
    """The smallest -fconstexpr-steps that still builds, to 1%, or None if the default doesn't."""

    def builds(steps):
        command = [compiler, *FLAGS, f"-fconstexpr-steps={steps}", "-fsyntax-only", path]
        return subprocess.run(command, capture_output=True).returncode == 0

    if not builds(CLANG_LIMIT):
        return None
    low, high = 0, CLANG_LIMIT  # low fails (or is 0), high builds
    while high - low > max(1, high // 100):
        middle = (low + high) // 2 if high < 4096 or low else high // 4
        low, high = (low, middle) if builds(middle) else (middle, high)
    return high


# What users write most, as small translation units, and the same with Eigen where it is installed.
SNIPPETS = {
    "static softmax, 64 × 128": """#include <twill/kernel.hpp>
using namespace twill::literals;
inline constexpr auto f = [](auto x) { return twill::softmax(x, -1_c); };
struct kernel : twill::kernel<f, twill::f32<64, 128>> {};
void run(float* out, const float* x) { kernel::run(out, x); }
int main() {}
""",
    "static matmul, 64³": """#include <twill/kernel.hpp>
inline constexpr auto f = [](auto x, auto y) { return twill::matmul(x, y); };
struct kernel : twill::kernel<f, twill::f32<64, 64>, twill::f32<64, 64>> {};
void run(float* out, const float* x, const float* y) { kernel::run(out, x, y); }
int main() {}
""",
    "Eigen softmax, 64 × 128": """#include <eigen3/Eigen/Dense>
using matrix = Eigen::Array<float, 64, 128, Eigen::RowMajor>;
void run(matrix& out, const matrix& x) {
  out = (x.colwise() - x.rowwise().maxCoeff()).exp();
  out.colwise() /= out.rowwise().sum().eval();
}
int main() {}
""",
    "Eigen matmul, 64³": """#include <eigen3/Eigen/Dense>
using matrix = Eigen::Matrix<float, 64, 64, Eigen::RowMajor>;
void run(matrix& out, const matrix& x, const matrix& y) { out.noalias() = x * y; }
int main() {}
""",
    "`simplify`, an index taken apart and put together": """#include <twill/symbolic.hpp>
constexpr auto i = twill::var<"i">(0, 31), j = twill::var<"j">(0, 63), k = twill::var<"k">(0, 7);
constexpr auto flat = (i * 64 + j) * 8 + k;
constexpr auto again = ((flat / 512) * 64 + (flat / 8) % 64) * 8 + flat % 8;
static_assert(twill::simplify(again) == twill::simplify(flat));
int main() {}
""",
}


def collect(folder):
    empty = folder / "empty.cpp"
    empty.write_text("int main() {}\n")
    units = [Unit("empty main", empty)]
    for header in sorted((INCLUDE / "twill").glob("*.hpp")):
        path = folder / f"include_{header.stem}.cpp"
        path.write_text(f"#include <twill/{header.name}>\nint main() {{}}\n")
        units.append(Unit(f"`<twill/{header.name}>`", path))
    for number, (name, source) in enumerate(SNIPPETS.items()):
        path = folder / f"snippet_{number}.cpp"
        path.write_text(source)
        units.append(Unit(name, path, is_program=name.startswith(("static", "`"))))
    for program in sorted((ROOT / "tests" / "programs").glob("*.cpp")):
        units.append(Unit(f"`{program.name}`", program, is_program=True))
    return units


def measure(units, compilers, rounds, output):
    for number in range(rounds):
        for compiler in compilers:
            for level in LEVELS:
                for unit in units:
                    key = (compiler, level)
                    if unit.runs.get(key, True) is None:
                        continue  # failed before
                    run = compile_once(compiler, [*FLAGS, level], unit.path, output)
                    if run is None:
                        unit.runs[key] = None
                    else:
                        unit.runs.setdefault(key, []).append(run)
        print(f"round {number + 1} of {rounds}", file=sys.stderr)


def version(compiler):
    return subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout.splitlines()[0]


def processor():
    try:
        names = re.findall(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text())
    except OSError:
        names = []
    return names[0] if names else platform.machine()


def tables(units, compilers, rounds, steps):
    lines = [f"{processor()}; medians of {rounds} interleaved rounds. Seconds are user time of one compilation to an object,",
             "for includes what they add to the empty main; memory is the peak of the whole compilation.", ""]
    for compiler in compilers:
        lines += [f"### {version(compiler)}", ""]
        with_steps = compiler in steps
        head = ["translation unit", "-O0 s", "-O2 s", "-O0 MiB", "-O2 MiB"] + (["steps"] if with_steps else [])
        lines += ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
        for unit in units:
            cells = []
            over = unit.name.startswith("`<")  # an include is reported over the empty main
            for level in LEVELS:
                value = unit.median(compiler, level, 0)
                base = units[0].median(compiler, level, 0)
                seconds = "fails" if value is None else f"+{max(0, value - base):.2f}" if over else f"{value:.2f}"
                cells.append(seconds)
            for level in LEVELS:
                value = unit.median(compiler, level, 1)
                cells.append("" if value is None else f"{value:.0f}")
            if with_steps:
                count = steps[compiler].get(unit.name)
                cells.append(f"{count:,}" if count else "")
            lines.append(f"| {unit.name} | " + " | ".join(cells) + " |")
        lines.append("")
    if steps:
        lines += [f"Steps: the smallest `-fconstexpr-steps` with which it builds, to 1%; clang's default is {CLANG_LIMIT:,}.", ""]
    return "\n".join(lines)


def write(report):
    start = ("# Compile time\n\nWhat twill costs a translation unit. Measured by `benchmarks/compile_time.py --write`.\n\n"
             f"{BEGIN}\n{END}\n")
    text = REPORT.read_text() if REPORT.exists() else start
    if BEGIN not in text or END not in text:
        sys.exit(f"{REPORT.relative_to(ROOT)} has no markers {BEGIN} and {END}")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    REPORT.write_text(f"{before}{BEGIN}\n{report}{END}{after}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the tables into docs/compile_time.md")
    parser.add_argument("--rounds", type=int, default=5, help="rounds, 5 or more for figures to be kept (default 5)")
    parser.add_argument("--compilers", nargs="+", default=["g++", "clang++-19"], metavar="CXX")
    parser.add_argument("--only", metavar="REGEX", help="only units whose name matches (and the empty main)")
    parser.add_argument("--no-steps", action="store_true", help="don't search for clang's constexpr steps")
    options = parser.parse_args()

    compilers = [name for name in options.compilers if shutil.which(name)]
    for name in set(options.compilers) - set(compilers):
        print(f"no such compiler, left out: {name}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        output = folder / "out.o"
        units = collect(folder)
        if options.only:
            units = units[:1] + [unit for unit in units[1:] if re.search(options.only, unit.name)]
        measure(units, compilers, options.rounds, output)
        steps = {}
        for compiler in compilers:
            if "clang" in compiler and not options.no_steps:
                steps[compiler] = {unit.name: constexpr_steps(compiler, unit.path) for unit in units if unit.is_program}
    report = tables(units, compilers, options.rounds, steps)
    print(report)
    if options.write:
        write(report)


if __name__ == "__main__":
    main()
