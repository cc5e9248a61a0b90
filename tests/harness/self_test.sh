#!/usr/bin/env bash
# The compile-fail check must be able to fail: runs it on cases that are broken in each of the ways it knows.
# usage: self_test.sh CHECK COMPILER
set -euo pipefail

check=$1 compiler=$2
here=$(cd "$(dirname "$0")" && pwd)
failed=0

expect() { # expect CASE STATUS TEXT: the check's exit status and a text of its report
  local status=0 output
  output=$("$check" "$compiler" "$here/$1.cpp") || status=$?
  if [[ $status -ne $2 || $output != *"$3"* ]]; then
    echo "FAILED: $1: status $status instead of $2, or no '$3' in:"
    echo "$output"
    failed=1
  else
    echo "passed: $1"
  fi
}

expect good 0 "passed"
expect broken_control 1 "the control (without TWILL_MISTAKE) does not compile"
expect mistake_compiles 1 "the mistake compiles"
expect missing_words 1 "the first error does not say: no such words"
expect words_in_second_error 1 "the first error does not say: gamma"
expect words_in_source 1 "the first error does not say: add"
expect part_of_number 1 "the first error does not say: 12"
expect wrong_figures 1 "the first error does not say: (3, 5)"
expect too_long 1 "more than 1"
expect no_expectation 1 "no '// expect:' line"
exit "$failed"
