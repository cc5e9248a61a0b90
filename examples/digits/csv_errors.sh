#!/usr/bin/env bash
# What the program says about files that it cannot use: csv_errors.sh PROGRAM FOLDER
set -u
program=$1
folder=$2
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder" || exit 1
failures=0

# refused FILE WORDS: reading FILE ends with status 2 and says exactly WORDS.
refused() {
  local said status
  said=$("$program" "$1" emitted 2>&1)
  status=$?
  if [[ $status -ne 2 || $said != "$2" ]]; then
    printf 'FAILED %s\n  wanted: %s\n  got %s: %s\n' "$1" "$2" "$status" "$said"
    failures=$((failures + 1))
  fi
}

pixels=$(printf '0,%.0s' {1..64})
good=${pixels}7
# with TEXT FIELD: a good line whose field is replaced.
with() { awk -v text="$1" -v at="$2" 'BEGIN { FS = OFS = "," } { $at = text; print }' <<<"$good"; }

printf '%s\n' "$good" "$good" "$(with x7 3)" >not_a_number.csv
refused not_a_number.csv 'not_a_number.csv:3:5: "x7" is not a number that can be pixel 3, a whole number from 0 to 16'
printf '%s\n' "$(with 1.5 1)" >fraction.csv
refused fraction.csv 'fraction.csv:1:1: "1.5" is not a number that can be pixel 1, a whole number from 0 to 16'
printf '%s\n' "$good" "$(with 17 64)" >too_bright.csv
refused too_bright.csv 'too_bright.csv:2:127: "17" is out of range for pixel 64, a whole number from 0 to 16'
printf '%s\n' "$(with -1 2)" >negative.csv
refused negative.csv 'negative.csv:1:3: "-1" is out of range for pixel 2, a whole number from 0 to 16'
printf '%s\n' "$(with 99999999999999999999 2)" >huge.csv
refused huge.csv 'huge.csv:1:3: "99999999999999999999" is out of range for pixel 2, a whole number from 0 to 16'
printf '%s\n' "$(with 10 65)" >no_digit.csv
refused no_digit.csv 'no_digit.csv:1:129: "10" is out of range for the digit, a whole number from 0 to 9'
printf '%s\n' "$(with '' 4)" >missing.csv
refused missing.csv 'missing.csv:1:7: nothing where there should be pixel 4, a whole number from 0 to 16'
printf '%s7' "$pixels" >one_row.csv
refused one_row.csv 'one_row.csv:1:1: the file ends after 1 row, but training and testing need at least 5'
printf '%s\n' "$good" "1,2,3" >short.csv
refused short.csv 'short.csv:2:6: the line ends after 3 of 65 columns'
printf '%s\r\n' "$good" "$good,0" >long.csv
refused long.csv 'long.csv:2:131: more than 65 columns'
printf '%s\n' "$good" "" "$good" >blank.csv
refused blank.csv 'blank.csv:2:1: an empty line'
printf '\033[31mred\n' >terminal.csv
refused terminal.csv 'terminal.csv:1:9: the line ends after 1 of 65 columns'
: >empty.csv
refused empty.csv 'empty.csv:1:1: the file is empty'
refused absent.csv 'absent.csv: cannot be read'
refused . '.: cannot be read'

# Files of other lengths train; \r\n, blanks around numbers and a missing last line end are fine.
for rows in 5 6 33 160; do
  for ((i = 0; i < rows; ++i)); do printf '%s %s \r\n' "$pixels" $((i % 10)); done | sed '$ s/\r$//' >"$rows.csv"
  if ! "$program" "$rows.csv" emitted >"$rows.out" 2>&1 || [[ $(grep -c 'predictions agree: yes' "$rows.out") -ne 2 ]]; then
    printf 'FAILED %s rows:\n' "$rows"
    cat "$rows.out"
    failures=$((failures + 1))
  fi
done

[[ $failures -eq 0 ]]
