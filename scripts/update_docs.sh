#!/usr/bin/env bash
# Keeps what the documents quote true: the fenced block after a marker line is replaced by what the marker names.
#
#   <!-- region FILE -->       the lines between "// README" and "// end README" in FILE, unindented
#   <!-- output SECTION -->    what `stages SECTION` prints (examples/stages.cpp); with "N lines": at most the first N
#
#   usage: scripts/update_docs.sh [--check] [STAGES]      STAGES: the built example; builds it when not given
#   --check changes nothing and fails, with the differences, when a block is not what it should be.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

check=0
[[ ${1:-} != --check ]] || { check=1; shift; }
stages=${1:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [[ -z $stages ]]; then
  stages=$work/stages
  "${CXX:-g++}" -std=c++20 -Iinclude examples/stages.cpp -o "$stages" -pthread -ldl
fi

# quote KIND NAME LINES: what belongs into the block.
quote() {
  case $1 in
    region)
      [[ -f $2 ]] || { echo "no such file: $2" >&2; return 1; }
      awk '/^ *\/\/ end README$/ { on = 0 } on { print } /^ *\/\/ README$/ { on = 1; found = 1 } END { exit !found }' "$2" |
        awk '{ line[NR] = $0; if ($0 != "") { match($0, /^ */); if (NR == 1 || RLENGTH < least) least = RLENGTH } }
             END { for (i = 1; i <= NR; ++i) print substr(line[i], least + 1) }'
      ;;
    output)
      "$stages" "$2" >"$work/section" || return 1
      if [[ -n $3 ]] && (($(wc -l <"$work/section") > $3)); then
        head -n "$3" "$work/section"
        echo "…"
      else
        cat "$work/section"
      fi
      ;;
  esac
}

failed=0
for document in README.md docs/*.md; do
  new=$work/document
  : >"$new"
  state=text
  while IFS= read -r line || [[ -n $line ]]; do
    case $state in
      text)
        printf '%s\n' "$line" >>"$new"
        if [[ $line =~ ^'<!-- '(region|output)' '([^ ]+)(' '([0-9]+)' lines')?' -->'$ ]]; then
          kind=${BASH_REMATCH[1]} name=${BASH_REMATCH[2]} lines=${BASH_REMATCH[4]}
          state=marked
        fi
        ;;
      marked)
        [[ $line == '```'* ]] || { echo "$document: no block follows the marker of $name" >&2; exit 1; }
        printf '%s\n' "$line" >>"$new"
        quote "$kind" "$name" "$lines" >>"$new" || { echo "$document: nothing to quote: $kind $name" >&2; exit 1; }
        state=block
        ;;
      block)
        [[ $line != '```' ]] || { printf '%s\n' "$line" >>"$new"; state=text; }
        ;;
    esac
  done <"$document"
  [[ $state == text ]] || { echo "$document: a block is not closed" >&2; exit 1; }
  cmp -s "$document" "$new" && continue
  if ((check)); then
    diff -u --label "$document" --label "what it should be" "$document" "$new" || true
    failed=1
  else
    cp "$new" "$document"
    echo "updated $document"
  fi
done

# Code in the README is code that is compiled: every C++ block has a marker.
awk '/^```cpp/ && previous !~ /^<!-- region / { print FILENAME ":" FNR ": a C++ block without <!-- region -->"; bad = 1 } { previous = $0 } END { exit bad }' README.md || failed=1

((!failed)) || { echo "documents are out of date: run scripts/update_docs.sh"; exit 1; }
echo "passed"
