#!/usr/bin/env bash
# Headers include only their own layer or the layers below it; doors (include/twill/*.hpp) may include any.
# usage: layers.sh INCLUDE/twill
set -euo pipefail

layers=(base ir match symbolic shape tensor schedule kernel lower render exec runtime door debug) # lowest first
cd "$1"

declare -A rank=()
for i in "${!layers[@]}"; do rank[${layers[i]}]=$i; done

failed=0
while IFS=: read -r file line text; do
  included=$(sed -E 's/.*[<"](twill\/|\.\.\/)?([^>"]*)[>"].*/\2/' <<<"$text")
  from=${file%%/*}
  to=${included%%/*}
  [[ -n ${rank[$from]:-} ]] || { echo "$file: '$from' is not one of the layers: ${layers[*]}"; failed=1; continue; }
  if [[ $included != */* ]]; then
    to=$from # a neighbour by its bare name, unless it is a door
    [[ $text != *twill/* ]] || { echo "$file:$line: includes the door $included"; failed=1; continue; }
  fi
  if [[ -z ${rank[$to]:-} ]] || ((rank[$to] > rank[$from])); then
    echo "$file:$line: the layer $from includes $included, which is above it"
    failed=1
  fi
done < <(grep -rnE --include='*.hpp' '^ *# *include *(<twill/|")' -- */ || true)

((failed)) || echo "passed"
exit "$failed"
