#!/usr/bin/env bash
# Builds the digits example for this machine and runs it: scripts/demo.sh [arguments of digits]
# TWILL_CXX names the compiler, of the example and of the kernels that it compiles when run (g++ when not set).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

compiler=${TWILL_CXX:-g++}
[[ $compiler != g++ ]] || need g++ has g++
need cmake has cmake
need ninja-build has ninja
install_missing || exit 1
compiler_path=$(command -v "$compiler") || { echo "no such compiler: $compiler" >&2; exit 1; }

build=build/demo
mkdir -p "$build"
if [[ -e $build/CMakeCache.txt ]] && ! grep -qxE "CMAKE_CXX_COMPILER:[A-Z]+=$compiler_path" "$build/CMakeCache.txt"; then
  rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
fi

log=$build/log
if ! { cmake -S . -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler_path" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE=-O3 -DTWILL_NATIVE=ON -DTWILL_TESTS=OFF -DTWILL_EXAMPLES=ON -DTWILL_BENCHMARKS=OFF &&
  cmake --build "$build" --target digits; } >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  exit 1
fi

exec "$(find "$build/examples" -type f -name digits -perm -u+x | head -n 1)" "$@"
