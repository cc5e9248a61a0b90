#!/usr/bin/env bash
# Checks one compile-fail case: code that must not compile, and what the compiler must say about it.
#
#   usage: check.sh COMPILER CASE.cpp [INCLUDE-FOLDER...]
#
# A case is a source file that says what is expected in comments and holds its mistake beside the mended code:
#
#   // expect: cannot broadcast | (32, 64) | axis 1        words, separated by bars
#   // max-lines: 15                                       of the compiler's whole output (15 when left out)
#   #ifdef TWILL_MISTAKE
#     ... must not compile ...
#   #else
#     ... must compile ...
#   #endif
#
# Without TWILL_MISTAKE the case must compile; with it, it must not, and the block of the first error (its line, the lines
# that lead to it and the notes that follow it) must contain all the words: in what the compiler says, not in the paths,
# positions and source lines that it repeats. Where a compiler can't print formatted text, figures may be template
# arguments: "(32, 64)" and "64 and 10" are also found in f<32, 64> and f<1, 64, 10>.
set -euo pipefail
export LC_ALL=C

[[ $# -ge 2 ]] || { echo "usage: $0 COMPILER CASE.cpp [INCLUDE-FOLDER...]" >&2; exit 2; }
compiler=$1 case=$2
shift 2
includes=("${@/#/-I}")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $case with $compiler: $1"
  if [[ -s $work/output ]]; then
    echo "--- the compiler's output ($(wc -l <"$work/output") lines)"
    head -n 60 "$work/output"
  fi
  exit 1
}

# Compiles as users do: no colours, the compiler's own defaults. Assembly, not -fsyntax-only, so that everything that
# would be instantiated is.
compiles() {
  "$compiler" -std=c++20 "${includes[@]}" "$@" -S -o "$work/out.s" "$case" >"$work/output" 2>&1
}

expected=$(sed -n 's|^// expect: *||p' "$case")
max_lines=$(sed -n 's|^// max-lines: *||p' "$case")
max_lines=${max_lines:-15}
[[ -n $expected ]] || fail "no '// expect:' line"

compiles || fail "the control (without TWILL_MISTAKE) does not compile"
if compiles -DTWILL_MISTAKE; then
  fail "the mistake compiles"
fi

# The block of the first error. A block starts at a line that leads to a diagnostic ("In file included from",
# "In instantiation of") or at the diagnostic itself, and goes on until the next one; notes belong to what they follow.
awk '
  function start() { if (has_error) exit; block = ""; has_diagnostic = 0 }
  { leads = /^In file included from / || /^[^ ].*: In [a-z].*:$/ || /^[^ ].*: At global scope:$/
    diagnoses = /(^|: )(fatal )?error: / || /: warning: / }
  leads && has_diagnostic { start() }
  diagnoses && has_diagnostic { start() }
  diagnoses { has_diagnostic = 1; if ($0 !~ /: warning: /) has_error = 1 }
  { block = block $0 "\n" }
  END { if (has_error) printf "%s", block }
' "$work/output" | sed -E '/^ *[0-9]* \| /d; /^( +from |In file included )/d; s/^[^ ]+:( |$)//' >"$work/block"
[[ -s $work/block ]] || fail "the mistake fails to compile, but without an error that this script understands"

# literally WORD, figures WORD: patterns that find the word as it is, its numbers whole, and its numbers in order as
# neighbours in a list of template arguments.
literally() {
  local pattern
  # shellcheck disable=SC2001,SC2016
  pattern=$(sed 's/[][\.*^$(){}?+|]/\\&/g' <<<"$1")
  [[ $1 != [0-9]* ]] || pattern="(^|[^0-9])$pattern"
  [[ $1 != *[0-9] ]] || pattern="$pattern([^0-9]|\$)"
  echo "$pattern"
}
figures() {
  local number pattern=
  while read -r number; do
    pattern+="${pattern:+, *}(\\([a-z0-9_: ]+\\))?${number}[uUlLz]*"
  done < <(grep -Eo -e '-?[0-9]+' <<<"$1")
  [[ -z $pattern ]] || echo "[<{,] *${pattern} *[>},]"
}

IFS='|' read -ra words <<<"$expected"
for word in "${words[@]}"; do
  word=$(sed 's/^ *//; s/ *$//' <<<"$word")
  grep -Eq -e "$(literally "$word")" "$work/block" && continue
  pattern=$(figures "$word")
  [[ -n $pattern ]] && grep -Eq -e "$pattern" "$work/block" && continue
  fail "the first error does not say: $word"
done

lines=$(wc -l <"$work/output")
((lines <= max_lines)) || fail "$lines lines of output, more than $max_lines"
echo "passed: $lines lines of output"
