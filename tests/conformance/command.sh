#!/usr/bin/env bash
# What twill_conformance prints and how it ends, for files that are right, wrong, and no files of the schema at all.
# usage: command.sh TWILL_CONFORMANCE
set -euo pipefail

runner=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# check NAME STATUS WORDS FAMILY [LINE...]: the runner on a file of these lines ends with STATUS and prints WORDS.
check() {
  local name=$1 status=$2 words=$3 family=$4 got=0 output
  shift 4
  printf '%s\n' "$@" >"$folder/cases.jsonl"
  output=$("$runner" "$family" "$folder/cases.jsonl" --results "$folder/results.jsonl" 2>&1) || got=$?
  if [[ $got != "$status" || $output != *"$words"* ]]; then
    printf '%s: expected status %s and "%s", got %s:\n%s\n' "$name" "$status" "$words" "$got" "$output"
    failures=$((failures + 1))
  fi
}
# results NAME TEXT: what the last check wrote.
results() {
  if [[ $(<"$folder/results.jsonl") != "$2" ]]; then
    printf '%s: expected results %s, got:\n%s\n' "$1" "$2" "$(<"$folder/results.jsonl")"
    failures=$((failures + 1))
  fi
}

symbolic() { # ID SAMPLE
  printf '{"id":"%s","expr":["ADD",["VAR","a",0,8],["CONST",0]],"vmin":0,"vmax":8,"nodes":3,"simp":["VAR","a",0,8],"simp_nodes":1,"render":"a","domain":[9,true],"vars":["a"],"samples":[[[3],%s]]}' "$1" "$2"
}
valid() { # ID VALUE
  printf '{"id":"%s","valid":["CMPLT",["VAR","a",0,8],["CONST",4]],"idx":[["MOD",["VAR","a",0,8],["CONST",4]]],"image_shape":null,"simplify_valid":null,"idx_given_valid":[["VAR","a",0,8]],"peer_unsound":[],"vars":["a"],"samples":[[[3],true,[%s]],[[8],false,[0]]]}' "$1" "$2"
}
alu() { printf '{"id":"%s","op":"ADD","dtype":"int8","args":[100,100],"out":%s}' "$1" "$2"; }
upat() { # ID PLACE
  printf '{"id":"%s","kind":"upat","nodes":[["CONST","int32",[],5]],"in":[0],"patterns":[{"op":["CONST"],"dtype":null,"arg":5,"name":"x","src":null,"any_len":true}],"matches":[[{"x":%s}]]}' "$1" "$2"
}

check 'symbolic passes' 0 'symbolic: 1 passed, 0 failed, 0 skipped' symbolic "$(symbolic t/1 3)"
results 'symbolic' '{"id":"t/1","simp":["VAR","a",0,8],"vmin":0,"vmax":8,"nodes":1}'
check 'symbolic compares sizes' 0 't: weaker 0, equal 1, stronger 0' symbolic "$(symbolic t/1 3)"
check 'symbolic fails' 1 'FAILED t/2: expected 4 at {a: 3}, got 3' symbolic "$(symbolic t/1 3)" "$(symbolic t/2 4)"
check 'symbolic counts' 1 'symbolic: 1 passed, 1 failed, 0 skipped' symbolic "$(symbolic t/1 3)" "$(symbolic t/2 4)"
check 'valid passes' 0 'valid: 1 passed, 0 failed, 0 skipped' valid "$(valid t/1 3)"
results 'valid' '{"id":"t/1","valid":["CMPLT",["VAR","a",0,8],["CONST",4]],"idx":[["VAR","a",0,8]]}'
check 'valid fails' 1 'FAILED t/1: expected valid [2] at {a: 3}, got valid [3]' valid "$(valid t/1 2)"
check 'alu passes' 0 'alu: 1 passed, 0 failed, 0 skipped' alu "$(alu t/1 -56)"
results 'alu' '{"id":"t/1","value":-56}'
check 'alu fails' 1 'FAILED t/1: expected 127, got -56' alu "$(alu t/1 127)"
check 'rewrite passes' 0 'rewrite: 1 passed, 0 failed, 0 skipped' rewrite "$(upat t/1 0)"
check 'rewrite fails' 1 'FAILED t/1: expected matches [{"x":1}] of pattern 0, got [{"x":0}]' rewrite "$(upat t/1 1)"
check 'other kinds are counted' 0 'skipped 1: kind stages' rewrite '{"id":"t/1","kind":"stages"}'
check 'skipped cases are counted' 0 'rewrite: 1 passed, 0 failed, 1 skipped' rewrite "$(upat t/1 0)" '{"id":"t/2","kind":"stages"}'

check 'no JSON' 2 'cases.jsonl:2: not JSON: expected' alu "$(alu t/1 -56)" '{"id":"t/2"'
check 'empty line' 2 'cases.jsonl:1: not JSON: unexpected end at column 1' alu '' "$(alu t/1 -56)"
check 'two values' 2 'cases.jsonl:1: not JSON: text after the value' alu "$(alu t/1 -56)$(alu t/2 -56)"
check 'too deep' 2 'cases.jsonl:1: not JSON: nested too deeply' alu "$(printf '[%.0s' {1..100000})"
check 'no object' 2 'cases.jsonl:1: expected an object' alu '[1]'
check 'no id' 2 'cases.jsonl:1: no field "id"' alu '{"op":"ADD"}'
check 'id twice' 2 'cases.jsonl:2: id "t/1" occurs twice' alu "$(alu t/1 -56)" "$(alu t/1 -56)"
check 'field missing' 2 'cases.jsonl:1: no field "args"' alu '{"id":"t/1","op":"ADD","dtype":"int8"}'
check 'unknown op' 2 'cases.jsonl:1: unknown op "PLUS"' alu '{"id":"t/1","op":"PLUS","dtype":"int8","args":[1,1],"out":2}'
check 'unknown dtype' 2 'cases.jsonl:1: unknown dtype "int9"' alu '{"id":"t/1","op":"ADD","dtype":"int9","args":[1,1],"out":2}'
check 'operands missing' 2 'cases.jsonl:1: ADD with 1 operands' symbolic '{"id":"t/1","expr":["ADD",["CONST",1]]}'
check 'a bad number' 2 'cases.jsonl:1: an integer of more than 64 bits' symbolic '{"id":"t/1","expr":["CONST",99999999999999999999]}'
check 'unknown node' 2 'cases.jsonl:1: no node 1' rewrite "$(upat t/1 0 | sed 's/"in":\[0\]/"in":[1]/')"
check 'unknown family' 2 'unknown family "algebra"; there are symbolic' algebra "$(alu t/1 -56)"

# ends STATUS WORDS ARGUMENT...
ends() {
  local status=$1 words=$2 got=0 output
  shift 2
  output=$("$runner" "$@" 2>&1) || got=$?
  if [[ $got != "$status" || $output != *"$words"* ]]; then
    printf '%s: expected status %s and "%s", got %s:\n%s\n' "$*" "$status" "$words" "$got" "$output"
    failures=$((failures + 1))
  fi
}
# Nothing is smaller than a, whose size is told as 1; where it were 0 this library would be too weak.
symbolic t/1 3 >"$folder/cases.jsonl"
ends 0 't: weaker 0, equal 1, stronger 0 (weaker 0.0%, stronger 0.0%)' symbolic "$folder/cases.jsonl" --weaker-at-most 0
symbolic t/1 3 | sed 's/"simp_nodes":1/"simp_nodes":0/' >"$folder/cases.jsonl"
ends 1 'TOO WEAK t: weaker 1, equal 0, stronger 0 (weaker 100.0%, stronger 0.0%), allowed 99%' symbolic "$folder/cases.jsonl" --weaker-at-most 99
ends 1 'WEAKER t/1: theirs 0 a, ours 1 a' symbolic "$folder/cases.jsonl" --weaker --weaker-at-most 99
: >"$folder/empty.jsonl"
ends 2 'no cases' alu "$folder/empty.jsonl"
ends 2 "cannot read $folder/missing.jsonl: No such file" alu "$folder/missing.jsonl"
ends 2 'cannot write' alu "$folder/empty.jsonl" --results "$folder/missing/results.jsonl"
ends 2 'usage: twill_conformance FAMILY FILE' alu
ends 2 'usage: twill_conformance FAMILY FILE'
ends 2 'unknown option --fast' alu "$folder/empty.jsonl" --fast
ends 2 'no percentage: 2.5' alu "$folder/empty.jsonl" --weaker-at-most 2.5
ends 2 '--results needs a file' alu "$folder/empty.jsonl" --results
ends 2 'unexpected argument more' alu "$folder/empty.jsonl" more

((failures == 0))
