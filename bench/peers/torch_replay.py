"""Replay of linear policies in PyTorch on CUDA. Driven by run.mjs; prints one line of JSON.

The same work as numpy_replay.py: f32 or f64 (no TF32), scores by matrix product, in chunks of events. Plans:
  argmax    scores of a chunk as [c, P, K], arg max over K, compared with the logged arm
  maximum   as [K, P, c]: the logged arm's score against the largest of those before it (>) and after it (>=)
  compiled  `argmax` through torch.compile, which fuses what follows the matrix product
A short sweep picks the chunk; then every run is timed from the first launch to the end of the last kernel, data already
on the card. Needs PyTorch alone.
"""

import argparse
import json
import os
import time

import npy
import torch

TYPES = {"float32": torch.float32, "float64": torch.float64}
NPY_TYPES = {"<f4": torch.float32, "<f8": torch.float64, "<u4": torch.int32, "<i4": torch.int32, "<i8": torch.int64}


def load(folder, name):
    data, descr, shape = npy.read(os.path.join(folder, f"{name}.npy"))
    # Arm indices and steps stay below 2^31, so u32 can be read as i32; sums are i64.
    return torch.frombuffer(data, dtype=NPY_TYPES[descr]).reshape(shape)


def argmax_chunk(x, arm, steps, weights):
    policies, arms, dimension = weights.shape
    scores = (x @ weights.reshape(policies * arms, dimension).T).reshape(len(x), policies, arms)
    hits = scores.argmax(dim=2) == arm[:, None]
    return hits.sum(dim=0), (hits * steps[:, None]).sum(dim=0)


def maximum_chunk(x, arm, steps, weights):
    policies, arms, dimension = weights.shape
    planes = weights.transpose(0, 1).reshape(arms * policies, dimension)
    scores = (planes @ x.T).reshape(arms, policies, len(x))
    own = scores.gather(0, arm.expand(1, policies, len(x)))[0]
    index = torch.arange(arms, device=x.device)[:, None, None]
    beaten = torch.where(index < arm, scores >= own, scores > own).any(dim=0)
    hits = ~beaten
    return hits.sum(dim=1), (hits * steps).sum(dim=1)


def replay(function, x, arm, steps, weights, size):
    """T and G of every policy, as i64 on the card."""
    policies = weights.shape[0]
    matches = torch.zeros(policies, dtype=torch.int64, device=x.device)
    payoff = torch.zeros(policies, dtype=torch.int64, device=x.device)
    for start in range(0, len(x), size):
        t, g = function(x[start : start + size], arm[start : start + size], steps[start : start + size], weights)
        matches += t
        payoff += g
    return matches, payoff


def timed(device, *args):
    torch.cuda.synchronize(device)
    started = time.perf_counter()
    result = replay(*args)
    torch.cuda.synchronize(device)
    return time.perf_counter() - started, result


def sweep(device, function, x, arm, steps, weights, events):
    """Chunk size and seconds per event of the fastest setting on the first events."""
    policies, arms, _ = weights.shape
    per_event = policies * arms * weights.element_size()
    best = None
    for bytes_ in (1 << 24, 1 << 26, 1 << 28, 1 << 30, 1 << 32):
        size = max(1, min(events, bytes_ // per_event))
        if best is not None and size == best[0]:
            continue
        # A multiple of the chunk, so that only one shape is compiled and no short rest weighs in.
        count = max(size, events // size * size)
        args = (function, x[:count], arm[:count], steps[:count], weights, size)
        try:
            timed(device, *args)
            seconds = min(timed(device, *args)[0] for _ in range(2)) / count
        except torch.OutOfMemoryError:
            torch.cuda.empty_cache()
            break
        if best is None or seconds < best[1]:
            best = (size, seconds)
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--dtype", choices=list(TYPES), default="float32")
    parser.add_argument("--plan", choices=["argmax", "maximum", "compiled"], default="argmax")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--sweep-events", type=int, default=200_000)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()

    torch.backends.cuda.matmul.allow_tf32 = False
    torch.set_float32_matmul_precision("highest")
    torch.set_grad_enabled(False)
    device = torch.device(options.device)
    started = time.perf_counter()
    x, weights = (load(options.data, name).to(device=device, dtype=TYPES[options.dtype]) for name in ("contexts", "weights"))
    arm = load(options.data, "arm").to(device=device, dtype=torch.int64)
    steps = load(options.data, "steps").to(device=device, dtype=torch.int32)
    torch.cuda.synchronize(device)
    upload = time.perf_counter() - started

    function = {"argmax": argmax_chunk, "maximum": maximum_chunk, "compiled": None}[options.plan]
    if function is None:
        function = torch.compile(argmax_chunk, dynamic=False)
    events = len(x)
    size, _ = sweep(device, function, x, arm, steps, weights, min(events, options.sweep_events))
    # The last, shorter chunk may compile once more: not timed.
    timed(device, function, x, arm, steps, weights, size)
    runs = [timed(device, function, x, arm, steps, weights, size) for _ in range(options.repeat)]
    report = {
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "device": torch.cuda.get_device_name(device),
        "plan": options.plan,
        "dtype": options.dtype,
        "chunk": size,
        "uploadSeconds": upload,
        "seconds": [run[0] for run in runs],
        "peakBytes": torch.cuda.max_memory_allocated(device),
    }
    for name, values in zip(("T", "G"), runs[-1][1]):
        path = os.path.join(options.data, f"torch-{options.plan}-{options.dtype}-{name}.npy")
        npy.write(path, "<f8", [len(values)], [float(v) for v in values.cpu().tolist()])
        report[name] = path
    print(json.dumps(report))


if __name__ == "__main__":
    main()
