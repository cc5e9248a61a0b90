"""Seconds that tinygrad 0.10.2 takes at the median for simplify() of the index-like cases, nodes cold: benchmarks/simplify.cpp's peer."""
import json
import statistics
import sys
import time

from tinygrad.dtype import DTYPES_DICT, dtypes
from tinygrad.ops import Ops, UOp


def built(tree):
    op = tree[0]
    if op == "CONST":
        natural = dtypes.bool if isinstance(tree[1], bool) else dtypes.int
        return UOp.const(DTYPES_DICT[tree[2]] if len(tree) > 2 else natural, tree[1])
    if op == "VAR":
        return UOp.variable(*tree[1:4])
    if op == "SPECIAL":
        return UOp(Ops.SPECIAL, dtypes.int, (), tuple(tree[1:3]))
    if op == "RANGE":
        return UOp(Ops.RANGE, dtypes.int, (built(tree[2]), built(tree[3])), tree[1])
    if op == "CAST":
        return built(tree[2]).cast(DTYPES_DICT[tree[1]])
    sources = tuple(built(source) for source in tree[1:])
    dtype = dtypes.bool if op in ("CMPLT", "CMPNE") else sources[-1].dtype
    return UOp(getattr(Ops, op), dtype, sources)


seconds = []
with open(sys.argv[1]) as cases:
    for line in cases:
        case = json.loads(line)
        if not case["id"].startswith("rand_index/") or "samples" not in case:
            continue
        expression = built(case["expr"])
        start = time.process_time()
        simplified = expression.simplify()
        seconds.append(time.process_time() - start)
        del expression, simplified
print(statistics.median(seconds))
