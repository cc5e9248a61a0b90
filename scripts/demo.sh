#!/usr/bin/env bash
# Builds the digits example for this machine and runs it: scripts/demo.sh [FILE.csv [FOLDER]]
# TWILL_CXX names the compiler of the kernels that it makes when run. It compiles the example too, if it can; else g++ does.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/lib.sh
source "$root/scripts/lib.sh"

compiler=${TWILL_CXX:-g++}
if [[ $compiler != g++ ]] && ! has_header "$compiler" version -std=c++20 >/dev/null 2>&1; then compiler=g++; fi
[[ $compiler != g++ ]] || need g++ has g++
need cmake has cmake
need ninja-build has ninja
install_missing || exit 1
compiler_path=$(command -v "$compiler")

build=$root/build/demo
mkdir -p "$build"
if [[ -e $build/CMakeCache.txt ]] && ! grep -qxE "CMAKE_CXX_COMPILER:[A-Z]+=$compiler_path" "$build/CMakeCache.txt"; then
  rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
fi

log=$build/log
say "building digits with $compiler"
if ! { cmake -S "$root" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler_path" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE=-O3 -DTWILL_NATIVE=ON -DTWILL_TESTS=OFF -DTWILL_EXAMPLES=ON -DTWILL_BENCHMARKS=OFF &&
  cmake --build "$build" --target digits; } >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  exit 1
fi

exec "$build/examples/digits/digits" "$@"
