"""Costs, actions, probabilities and action counts of VowpalWabbit's test files, by plain splitting.

Knows nothing of hindcast; its output is vw-expected.json:
    python3 test/published/vw_expected.py ../shared/data/vw > test/published/vw-expected.json
Per file: number of actions, 1-based action, cost and probability of each event that has a label.
"""

import json
import pathlib
import sys


def adf(text):
    for block in text.replace("\r\n", "\n").split("\n\n"):
        lines = [line for line in block.split("\n") if line.strip() and not line.startswith("shared")]
        for place, line in enumerate(lines):
            label = line.split("|")[0].strip()
            if label:
                _, cost, probability = label.split(":")
                yield len(lines), place + 1, float(cost), float(probability)


def cb(text):
    rows = [line.split("|")[0].split() for line in text.split("\n") if line.strip()]
    largest = max(int(label.split(":")[0]) for row in rows for label in row)
    for row in rows:
        for label in row:
            parts = label.split(":")
            if len(parts) == 3:
                yield len(row) if len(row) > 1 else largest, int(parts[0]), float(parts[1]), float(parts[2])


def dsjson(text):
    for line in text.splitlines():
        event = json.loads(line)
        yield len(event["c"]["_multi"]), event["_labelIndex"] + 1, event["_label_cost"], event["_label_probability"]


KINDS = {
    "cb_eval": cb, "cb_eval1": cb, "cb_eval2": cb, "cb_multi_cost.dat": cb,
    "cb_adf_sm.data": adf, "cb_features_w_zero_vals.dat": adf, "cb_load.dat": adf, "cb_test.ldf": adf,
    "cb_test_medium.ldf": adf, "cb_test_non_binary_costs.ldf": adf, "cb_test_nonewline.ldf": adf,
    "cb_test_with_empty_shared_feature.ldf": adf, "explore_eval_egreedy.dat": adf,
    "cb_features_w_zero_vals.dsjson": dsjson, "cb_l_namespace.txt": dsjson, "dsjson_cb.json": dsjson,
    "dsjson_cb_default_ns.json": dsjson, "dsjson_cb_part1.json": dsjson, "dsjson_cb_part2.json": dsjson,
}


def short(values):
    """Runs of equal values as value×count."""
    runs = []
    for value in values:
        text = repr(value + 0.0 if isinstance(value, float) else value).removesuffix(".0")
        text = "0" if text == "-0" else text
        if runs and runs[-1][0] == text:
            runs[-1][1] += 1
        else:
            runs.append([text, 1])
    return " ".join(text if count == 1 else f"{text}×{count}" for text, count in runs)


expected = {}
for name, parse in KINDS.items():
    rows = list(parse((pathlib.Path(sys.argv[1]) / f"train-sets__{name}").read_text("utf-8")))
    fields = ("actions", "action", "cost", "probability")
    expected[name] = dict(zip(fields, map(short, zip(*rows))))
print(json.dumps(expected, ensure_ascii=False, indent=2))
