"""glm-ucb against 60-digit arithmetic: the same events retained, or a warning that fits did not converge.

python3 test/large/glm_ucb.py [LOGS] [SEED]   (needs mpmath, and npm run build)
"""

import json
import random
import subprocess
import sys

from mpmath import exp, eye, log, lu_solve, matrix, mp, mpf, sqrt

mp.dps = 60
ARMS, TAU = 3, mpf("1e-6")

KINDS = ["yyyymmdd", "million", "unix", "unlike", "tiny", "cents", "twice", "separable", "onehot", "shares", "ratings"]


def features(kind, t, rng):
    """Contexts of one event."""
    u, b = rng.random(), float(rng.random() < 0.5)
    if kind == "yyyymmdd":
        return [20200101.0 + rng.randrange(28), b, 1.0]
    if kind == "million":
        return [1e6 + rng.randrange(100), b, 1.0]
    if kind == "unix":
        return [1.6e9 + 37.0 * t, b, 1.0]
    if kind == "unlike":
        return [u * 1e9, b * 1e-6, rng.gauss(0, 1), 1.0]
    if kind == "tiny":
        return [u * 1e-5, rng.gauss(0, 1e-3), 1.0]
    if kind == "cents":
        euros = round(u * 100, 2)
        return [euros, round(euros * 100), b, 1.0]
    if kind == "twice":
        return [round(u, 1) * 1000] * 2 + [b]
    if kind == "separable":
        return [(u - 0.5) * 1000, 1.0]
    if kind == "onehot":
        level = rng.randrange(3)
        return [float(level == k) for k in range(3)] + [1.0]
    if kind == "shares":
        v = rng.random() * (1 - u)
        return [u, v, 1 - u - v, 1.0]
    return [float(rng.randrange(1, 6)), b, 1.0]


def make(seed):
    rng = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    # Without a bonus the fits decide alone.
    rho = [0.0, 0.5][(seed // len(KINDS)) % 2]
    ridge = [1.0, 0.01, 1e-4, 1e-8][(seed // len(KINDS) // 2) % 4]
    contexts = [features(kind, t, rng) for t in range(120)]
    first = sorted(x[0] for x in contexts)[60]
    payoffs = []
    for x in contexts:
        high = x[0] > first
        rate = (1.0 if high else 0.0) if kind == "separable" else (0.7 if high else 0.3)
        # Ratings are payoffs between 0 and 1.
        payoffs.append(rng.randrange(5) / 4 if kind == "ratings" else float(rng.random() < rate))
    arms = [rng.randrange(ARMS) for _ in contexts]
    return {"kind": kind, "lambda": ridge, "rho": rho, "context": contexts, "payoff": payoffs, "armIndex": arms, "arms": ARMS}


def sigma(z):
    return 1 / (1 + exp(-z)) if z >= 0 else exp(z) / (1 + exp(z))


def cost(z):
    return log(1 + exp(-z)) if z >= 0 else log(1 + exp(z)) - z


def dot(a, b):
    return sum((x * y for x, y in zip(a, b)), mpf(0))


class Fit:
    """Newton's method to 10⁻²⁵ in the decrement, the loss falling at every step."""

    def __init__(self, d, ridge):
        self.rows, self.d, self.ridge, self.stale = {}, d, ridge, False
        self.theta = [mpf(0)] * d

    def loss(self, theta):
        total = self.ridge * dot(theta, theta) / 2
        for x, (n, r) in self.rows.items():
            z = dot(theta, x)
            total += r * cost(z) + (n - r) * cost(-z)
        return total

    def estimate(self):
        if not self.stale:
            return self.theta
        self.stale = False
        if self.loss(self.theta) > self.loss([mpf(0)] * self.d):
            self.theta = [mpf(0)] * self.d
        for _ in range(500):
            g = matrix([-self.ridge * v for v in self.theta])
            h = eye(self.d) * self.ridge
            for x, (n, r) in self.rows.items():
                p = sigma(dot(self.theta, x))
                for i in range(self.d):
                    g[i] += (r - n * p) * x[i]
                    for j in range(self.d):
                        h[i, j] += n * p * (1 - p) * x[i] * x[j]
            step = lu_solve(h, g)
            decrement = dot(g, step)
            if decrement < mpf(10) ** -50:
                return self.theta
            before, size = self.loss(self.theta), mpf(1)
            while True:
                trial = [v + size * s for v, s in zip(self.theta, step)]
                # Beyond 20 digits the gain drowns in the loss's rounding.
                if decrement < mpf(10) ** -20 or self.loss(trial) <= before:
                    break
                size /= 2
            self.theta = trial
        raise RuntimeError("no convergence")


def replay(case):
    d, ridge = len(case["context"][0]), mpf(case["lambda"])
    fits = [Fit(d, ridge) for _ in range(ARMS)]
    designs = [eye(d) * ridge for _ in range(ARMS)]
    retained = []
    for t, context in enumerate(case["context"]):
        x = tuple(mpf(v) for v in context)
        bonus = mpf(case["rho"]) * sqrt(log(mpf(2 + len(retained))))
        scores = []
        for a in range(ARMS):
            width = dot(x, lu_solve(designs[a], matrix(x)))
            scores.append(sigma(dot(fits[a].estimate(), x)) + bonus * sqrt(width))
        best = max(scores)
        least = best - TAU * max(1, abs(best))
        if next(a for a in range(ARMS) if scores[a] >= least) != case["armIndex"][t]:
            continue
        arm = case["armIndex"][t]
        retained.append(t)
        for i in range(d):
            for j in range(d):
                designs[arm][i, j] += x[i] * x[j]
        n, r = fits[arm].rows.get(x, (0, mpf(0)))
        fits[arm].rows[x] = (n + 1, r + mpf(case["payoff"][t]))
        fits[arm].stale = True
    return retained, [fit.estimate() and fit.loss(fit.theta) for fit in fits]


def main():
    logs, seed = int((sys.argv[1:2] or ["55"])[0]), int((sys.argv[2:3] or ["0"])[0])
    cases = [make(seed + i) for i in range(logs)]
    answer = subprocess.run(["node", "test/large/glm_ucb.mjs"], input=json.dumps(cases), capture_output=True, text=True, check=True)
    wrong = silent = 0
    for i, (case, got) in enumerate(zip(cases, json.loads(answer.stdout))):
        retained, losses = replay(case)
        same = retained == got["retained"]
        ours = got["numerics"]
        print(f"{i:3} {case['kind']:10} λ {case['lambda']:<6} ρ {case['rho']} {len(retained):3} retained", "the same" if same else f"OTHER ({len(got['retained'])})",
              f"losses {[float(v) for v in losses]}", ours, got["warnings"], flush=True)
        wrong += not same
        silent += not same and not got["warnings"]
    print(f"{logs} logs, {wrong} with other events, {silent} of them without a warning")
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
