"""Replay of linear policies in numpy: matrix products and arg max in chunks. Driven by run.mjs; prints one line of JSON.

Reads contexts.npy [L, d], weights.npy [P, K, d], arm.npy [L] and steps.npy [L]; writes T and G of every policy.

Plans differ in what numpy is asked to do, and all give the same answer (lowest index wins ties):
  argmax   scores of a chunk of events as [c, P, K], arg max over K, compared with the logged arm
  maximum  scores as [K, P, c]: the largest by comparing whole planes, and the logged arm is matched if none before it is
           as large and none after it is larger. Many times less work for numpy than its arg max over a short axis.
Either with BLAS threads, or with a pool of Python threads that each run a single-threaded BLAS (numpy lets go of the
interpreter lock). A short sweep picks the fastest chunk and threading of each plan.
"""

import argparse
import ctypes
import itertools
import json
import os
import resource
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

CORES = len(os.sched_getaffinity(0))


class Blas:
    """OpenBLAS as this process loaded it, where it did: which kernels it chose, and how many threads it takes."""

    def __init__(self):
        np.dot(np.ones((2, 2)), np.ones((2, 2)))
        with open("/proc/self/maps", encoding="utf8") as maps:
            paths = sorted({line.split()[-1] for line in maps if "/" in line})
        self.files = [p for p in paths if any(word in os.path.basename(p).lower() for word in ("blas", "mkl", "blis"))]
        self.library = None
        self.suffix = ""
        for path in (p for p in self.files if "openblas" in p.lower()):
            library = ctypes.CDLL(path)
            for prefix, suffix in itertools.product(("", "scipy_"), ("", "64_")):
                if hasattr(library, f"{prefix}openblas_set_num_threads{suffix}"):
                    self.library = library
                    self.prefix, self.suffix = prefix, suffix
                    return

    def call(self, name, restype, *args):
        function = getattr(self.library, f"{self.prefix}openblas_{name}{self.suffix}")
        function.restype = restype
        return function(*args)

    def describe(self):
        found = {"files": self.files, "core": None, "config": None}
        if self.library is not None:
            found["core"] = self.call("get_corename", ctypes.c_char_p).decode()
            found["config"] = self.call("get_config", ctypes.c_char_p).decode().strip()
        return found

    def set_threads(self, threads):
        """Whether it could be set."""
        if self.library is None:
            return False
        self.call("set_num_threads", None, ctypes.c_int(threads))
        return True


def argmax_chunk(x, logged, steps, weights, weights_planes, out):
    policies, arms, _ = weights.shape
    events = len(x)
    flat = weights.reshape(policies * arms, -1)
    scores = np.matmul(x, flat.T, out=out[: events * policies * arms].reshape(events, policies * arms))
    hits = scores.reshape(events, policies, arms).argmax(axis=2) == logged[:, None]
    return hits.sum(axis=0, dtype=np.int64), steps @ hits


def maximum_chunk(x, logged, steps, weights, weights_planes, out):
    arms, policies, _ = weights_planes.shape
    events = len(x)
    scores = out[: arms * policies * events].reshape(arms, policies, events)
    np.matmul(weights_planes.reshape(arms * policies, -1), x.T, out=scores.reshape(arms * policies, events))
    # Events sorted by logged arm: each arm's events are one slice, so nothing has to be gathered.
    order_bounds = np.searchsorted(logged, np.arange(arms + 1))
    matches = np.zeros(policies, np.int64)
    payoff = np.zeros(policies, np.int64)
    for arm in range(arms):
        lo, hi = order_bounds[arm], order_bounds[arm + 1]
        if lo == hi:
            continue
        own = scores[arm, :, lo:hi]
        hits = np.ones(own.shape, bool)
        if arm > 0:
            hits &= own > scores[:arm, :, lo:hi].max(axis=0)
        if arm + 1 < arms:
            hits &= own >= scores[arm + 1 :, :, lo:hi].max(axis=0)
        matches += hits.sum(axis=1, dtype=np.int64)
        payoff += hits @ steps[lo:hi]
    return matches, payoff


PLANS = {"argmax": argmax_chunk, "maximum": maximum_chunk}


class Work:
    """Arrays of one type. `maximum` wants the events of a chunk sorted by logged arm: that is done once, not timed."""

    def __init__(self, folder, dtype):
        def load(name):
            return np.load(os.path.join(folder, f"{name}.npy"))

        self.dtype = dtype
        self.x = load("contexts").astype(dtype)
        self.weights = load("weights").astype(dtype)
        self.planes = np.ascontiguousarray(self.weights.transpose(1, 0, 2))
        self.arm = load("arm").astype(np.int64)
        self.steps = load("steps").astype(np.int64)

    def chunks(self, plan, events, size):
        parts = []
        for start in range(0, events, size):
            part = slice(start, min(events, start + size))
            x, arm, steps = self.x[part], self.arm[part], self.steps[part]
            if plan == "maximum":
                order = np.argsort(arm, kind="stable")
                x, arm, steps = x[order], arm[order], steps[order]
            parts.append((np.ascontiguousarray(x), arm, steps))
        return parts


def replay(work, plan, parts, pool_threads):
    """T and G of every policy, with a pool of so many threads (1: on this thread)."""
    function = PLANS[plan]
    policies, arms, _ = work.weights.shape
    largest = max((len(part[0]) for part in parts), default=0)

    def run(mine):
        out = np.empty(largest * policies * arms, work.dtype)
        matches = np.zeros(policies, np.int64)
        payoff = np.zeros(policies, np.int64)
        for part in mine:
            t, g = function(*part, work.weights, work.planes, out)
            matches += t
            payoff += g
        return matches, payoff

    if pool_threads == 1:
        return run(parts)
    with ThreadPoolExecutor(pool_threads) as pool:
        found = list(pool.map(run, [parts[i::pool_threads] for i in range(pool_threads)]))
    return sum(f[0] for f in found), sum(f[1] for f in found)


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def timed(work, plan, parts, pool_threads, blas):
    blas.set_threads(CORES if pool_threads == 1 else 1)
    wall, cpu = time.perf_counter(), cpu_seconds()
    result = replay(work, plan, parts, pool_threads)
    return time.perf_counter() - wall, cpu_seconds() - cpu, result


def sweep(work, plan, blas, events):
    """Chunk size (events), pool threads and seconds of the fastest setting on the first events; and the best per threading."""
    policies, arms, _ = work.weights.shape
    per_event = policies * arms * np.dtype(work.dtype).itemsize
    sizes = sorted({max(1, min(events, bytes_ // per_event)) for bytes_ in (1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26)})
    threadings = [1, CORES] if CORES > 1 and blas.library is not None else [1]
    best = {}
    for size in sizes:
        parts = work.chunks(plan, events, size)
        for threads in threadings:
            seconds = min(timed(work, plan, parts, threads, blas)[0] for _ in range(2))
            if threads not in best or seconds < best[threads][2]:
                best[threads] = (size, threads, seconds)
    fastest = min(best.values(), key=lambda setting: setting[2])
    return *fastest, {"blas threads" if threads == 1 else "pool": found[2] for threads, found in best.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float32")
    parser.add_argument("--plan", choices=list(PLANS), default="argmax")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--sweep-events", type=int, default=2000)
    parser.add_argument("--sweep-only", action="store_true")
    options = parser.parse_args()

    blas = Blas()
    work = Work(options.data, options.dtype)
    events = len(work.x)
    size, threads, seconds, by_threading = sweep(work, options.plan, blas, min(events, options.sweep_events))
    report = {
        "numpy": np.__version__,
        "blas": blas.describe(),
        "plan": options.plan,
        "dtype": options.dtype,
        "chunk": size,
        "poolThreads": threads,
        "blasThreads": CORES if threads == 1 else 1,
        "sweepSeconds": seconds,
        "sweepByThreading": by_threading,
    }
    if not options.sweep_only:
        parts = work.chunks(options.plan, events, size)
        runs = [timed(work, options.plan, parts, threads, blas) for _ in range(options.repeat)]
        report["seconds"] = [run[0] for run in runs]
        report["cpuSeconds"] = [run[1] for run in runs]
        for name, values in zip(("T", "G"), runs[-1][2]):
            path = os.path.join(options.data, f"numpy-{options.plan}-{options.dtype}-{name}.npy")
            np.save(path, values.astype(np.float64))
            report[name] = path
    print(json.dumps(report))


if __name__ == "__main__":
    main()
