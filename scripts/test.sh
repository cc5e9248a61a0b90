#!/usr/bin/env bash
# Builds and runs all tests: g++, clang++, and g++ with sanitizers. Installs what is missing where it may.
# The last line is "N passed, M failed" over all three builds. Logs: build/logs/.
#
#   usage: scripts/test.sh [PRESET...]       default: default clang asan
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

presets=("$@")
((${#presets[@]})) || presets=(default clang asan)

need g++ has g++
need cmake has cmake
need ninja-build has ninja
need pkg-config has pkg-config
need catch2 test -e /usr/include/catch2/catch.hpp -o -e /usr/include/catch2/catch_all.hpp
need libboost-dev has_header g++ boost/hana.hpp -std=c++20
need clang-19 has clang++-19
need libclang-rt-19-dev test -d /usr/lib/llvm-19/lib/clang/19/lib/linux
need z3 has z3
need libomp-19-dev test -e /usr/lib/llvm-19/lib/libomp.so
install_missing || exit 1

logs=build/logs
mkdir -p "$logs"
passed=0 failed=0

# show LOG: the part of a build's log that says what went wrong.
show() {
  if grep -qE '(error:|^FAILED:|CMake Error)' "$1"; then
    grep -vE '^\[[0-9]+/[0-9]+\]' "$1" | grep -E -m 12 -A 8 '(error:|^FAILED:|CMake Error)' | cut -c 1-240 | head -n 80 || true
  else
    tail -n 40 "$1"
  fi
}

# step NAME LOG COMMAND...: runs a step of a build; a step that fails counts as one failed test.
step() {
  local name=$1 log=$2 start=$SECONDS
  shift 2
  if "$@" >"$log" 2>&1; then
    say "$name: ok ($((SECONDS - start)) s)"
  else
    say "$name: FAILED ($((SECONDS - start)) s), see $log"
    show "$log"
    failed=$((failed + 1))
    return 1
  fi
}

# count LOG: adds up ctest's summary. Tests that were not run count as failed, as ctest has it, skipped ones not at all.
count() {
  local summary total bad skipped
  if ! summary=$(grep -E '[0-9]+ tests? failed out of [0-9]+' "$1"); then
    failed=$((failed + 1))
    return
  fi
  bad=$(sed -E 's/.* ([0-9]+) tests? failed out of ([0-9]+).*/\1/' <<<"$summary")
  total=$(sed -E 's/.* ([0-9]+) tests? failed out of ([0-9]+).*/\2/' <<<"$summary")
  skipped=$(grep -cE '^ *[0-9]+/[0-9]+ +Test +#[0-9]+:.*\*\*\*Skipped' "$1" || true)
  failed=$((failed + bad))
  passed=$((passed + total - bad - skipped))
}

for preset in "${presets[@]}"; do
  step "$preset: configure" "$logs/$preset.configure.log" cmake --preset "$preset" || continue
  # What the tree can't build yet, the same for all presets.
  [[ $preset != "${presets[0]}" ]] || grep -E '^-- twill: .* waits for' "$logs/$preset.configure.log" || true
  # -k 0: what does build is tested even if something else doesn't.
  step "$preset: build" "$logs/$preset.build.log" \
    cmake --build --preset "$preset" --parallel "$(processors)" -- -k 0 || true
  start=$SECONDS
  if ctest --preset "$preset" --parallel "$(processors)" >"$logs/$preset.test.log" 2>&1; then
    say "$preset: test: ok ($((SECONDS - start)) s)"
  else
    say "$preset: test: FAILED ($((SECONDS - start)) s), see $logs/$preset.test.log"
    grep -vE '^ +Start +[0-9]+:|   Passed +[0-9.]+ sec$|^(Could not find executable|Looked in the following) |^/?[^ ]+/[^ /]+$' \
      "$logs/$preset.test.log" | cut -c 1-240 | head -n 200 || true
  fi
  count "$logs/$preset.test.log"
done

echo "$passed passed, $failed failed"
((failed == 0))
