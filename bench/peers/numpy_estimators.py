"""Weighted estimates of linear policies in numpy, one policy at a time. Driven by estimators.mjs; prints one line of JSON.

Reads contexts.npy [L, d], weights.npy [P, K, d], arm.npy, payoff.npy, propensity.npy [L] and predictions.npy [L, K]; writes
[P, 5]: snips, ips, dm, dr and sndr of every policy.

Plans, which give the same but for rounding:
  dense     as the Open Bandit Pipeline does it: a policy is an array [L, K] of probabilities, from which each estimator makes what
            it needs for itself. Its checks of the input, its axis of positions and its intervals are left out.
  gathered  what numpy does best for policies that choose one arm: no probabilities, and all five from four sums, over chunks of
            events that fit the cache.
Either one policy after the other, with BLAS threads, or a policy per Python thread: what is faster in wall time is kept.
"""

import argparse
import json
import os
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy_replay import CORES, Blas, cpu_seconds

CHUNK = 1 << 13


class Log:
    def __init__(self, folder):
        def load(name):
            return np.load(os.path.join(folder, f"{name}.npy")).astype(np.float64)

        self.contexts = load("contexts")
        self.arm = load("arm").astype(np.int64)
        self.payoff = load("payoff")
        self.propensity = load("propensity")
        self.predictions = load("predictions")


def dense(log, weights):
    rows = np.arange(len(log.arm))
    chosen = (log.contexts @ weights.T).argmax(axis=1)
    probabilities = np.zeros_like(log.predictions)
    probabilities[rows, chosen] = 1
    return [estimate(log, probabilities, rows).mean() for estimate in (snips, ips, dm, dr, sndr)]


def importance(log, probabilities, rows):
    return probabilities[rows, log.arm] / log.propensity


def snips(log, probabilities, rows):
    w = importance(log, probabilities, rows)
    return log.payoff * w / w.mean()


def ips(log, probabilities, rows):
    return log.payoff * importance(log, probabilities, rows)


def dm(log, probabilities, rows):
    return np.average(log.predictions, weights=probabilities, axis=1)


def dr(log, probabilities, rows):
    w = importance(log, probabilities, rows)
    return dm(log, probabilities, rows) + w * (log.payoff - log.predictions[rows, log.arm])


def sndr(log, probabilities, rows):
    w = importance(log, probabilities, rows)
    return dm(log, probabilities, rows) + w / w.mean() * (log.payoff - log.predictions[rows, log.arm])


def gathered(log, weights):
    sums = np.zeros(4)
    for start in range(0, len(log.arm), CHUNK):
        part = slice(start, start + CHUNK)
        arm, predictions = log.arm[part], log.predictions[part]
        chosen = (log.contexts[part] @ weights.T).argmax(axis=1)
        rows = np.arange(len(arm))
        (match,) = np.nonzero(chosen == arm)
        w, r = 1 / log.propensity[part][match], log.payoff[part][match]
        residual = r - predictions[match, arm[match]]
        sums += [w.sum(), w @ r, w @ residual, predictions[rows, chosen].sum()]
    total, paid, left, predicted = sums
    n = len(log.arm)
    return [paid / total, paid / n, predicted / n, (predicted + left) / n, predicted / n + left / total]


PLANS = {"dense": dense, "gathered": gathered}


def run(plan, log, weights, pool_threads, blas):
    """Values [P, 5], and seconds of wall and of processors."""
    blas.set_threads(CORES if pool_threads == 1 else 1)
    wall, cpu = time.perf_counter(), cpu_seconds()
    one = lambda w: PLANS[plan](log, w)  # noqa: E731
    if pool_threads == 1:
        values = [one(w) for w in weights]
    else:
        with ThreadPoolExecutor(pool_threads) as pool:
            values = list(pool.map(one, weights))
    return np.array(values), time.perf_counter() - wall, cpu_seconds() - cpu


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--plan", choices=list(PLANS), required=True)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()

    log = Log(options.data)
    weights = np.load(os.path.join(options.data, "weights.npy")).astype(np.float64)
    blas = Blas()
    found = {}
    for pool_threads in {1, CORES} if blas.library is not None else {1}:
        runs = [run(options.plan, log, weights, pool_threads, blas) for _ in range(options.repeat + 1)][1:]
        found[pool_threads] = {"seconds": [r[1] for r in runs], "cpuSeconds": [r[2] for r in runs], "values": runs[-1][0]}
    pool_threads, best = min(found.items(), key=lambda item: np.median(item[1]["seconds"]))
    values = os.path.join(options.data, f"values-{options.plan}.npy")
    np.save(values, best.pop("values"))
    print(
        json.dumps(
            {
                "numpy": np.__version__,
                "blas": blas.describe(),
                "policies": len(weights),
                "poolThreads": pool_threads,
                **best,
                "values": values,
            }
        )
    )


if __name__ == "__main__":
    main()
