#!/usr/bin/env python3
"""Writes what the conformance runner says into docs/conformance.md, between its markers.

usage: report.py RUNNER [--check]     --check changes nothing and fails when the document is not what it should be

The reasons why a result is larger than the corpus's stand in weaker.tsv beside this file, "id<TAB>reason" each; an id
without one, or a reason that the document does not explain, is an error.
"""

import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
DOCUMENT = FOLDER.parent.parent / "docs" / "conformance.md"
FAMILIES = ("symbolic", "valid", "alu", "rewrite")
LINE = re.compile(r"WEAKER (\S+)( \w+)?: theirs (\d+) (.*), ours (\d+) (.*?)( \[theirs is not exact\])?")
LONGEST = 72


def output(runner, family):
    command = [runner, family, FOLDER / "data" / f"{family}.jsonl", "--weaker"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 2:
        sys.exit(done.stderr)
    return done.stdout.splitlines()


def cell(text):
    if len(text) > LONGEST:
        text = text[: LONGEST - 1] + "…"
    return "`" + text.replace("|", "\\|") + "`"


def weaker_row(line, reasons, missing):
    name, what, theirs_size, theirs, ours_size, ours, inexact = LINE.fullmatch(line).groups()
    key = name + (what or "")
    reason = reasons.pop(key, "exact" if inexact else None)
    if reason is None:
        missing.append(key)
    return f"| {key} | {theirs_size} | {cell(theirs)} | {ours_size} | {cell(ours)} | {reason} |"


def main():
    runner = sys.argv[1]
    check = sys.argv[2:] == ["--check"]
    pairs = (line.split("\t") for line in (FOLDER / "weaker.tsv").read_text().splitlines() if line)
    reasons = dict(pairs)
    summary, rows, missing = [], [], []
    for family in FAMILIES:
        for line in output(runner, family):
            if line.startswith("WEAKER "):
                rows.append(weaker_row(line, reasons, missing))
            elif not line.startswith("LOOSER "):
                summary.append(line)
        summary.append("")
    text = DOCUMENT.read_text()
    explained = set(re.findall(r"^\| \*\*(.+?)\*\* \|", text, re.MULTILINE))
    used = {row.rsplit("| ", 1)[1][:-2] for row in rows} - {"None"}
    if missing:
        sys.exit("no reason in weaker.tsv: " + ", ".join(missing))
    if used - explained:
        sys.exit("reason that is not explained: " + ", ".join(sorted(used - explained)))
    table = ["| case | theirs | | ours | | reason |", "| --- | --- | --- | --- | --- | --- |", *rows]
    for name, lines in (("summary", ["```", *summary[:-1], "```"]), ("weaker", table)):
        block = f"<!-- {name} -->\n" + "\n".join(lines) + f"\n<!-- end {name} -->"
        text = re.sub(f"<!-- {name} -->.*?<!-- end {name} -->", lambda _: block, text, flags=re.DOTALL)
    if reasons:
        print("no longer weaker: " + ", ".join(reasons))
    if check:
        if text != DOCUMENT.read_text():
            sys.exit(f"{DOCUMENT.name} is out of date: tests/conformance/report.py RUNNER writes it")
    else:
        DOCUMENT.write_text(text)


if __name__ == "__main__":
    main()
