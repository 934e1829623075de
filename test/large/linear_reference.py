"""What linear learners retain, in 80-digit arithmetic (mpmath), by a fresh solve after every update.

    node test/large/linear-logs.mjs 20 1 > logs.json; python3 test/large/linear_reference.py 13 < logs.json > cases.json

(or `13 standard`, `13 max`) keeps 13 logs of each decade of condition numbers from 1 to 10**16, and 13 beyond.

It adds to each the events that LinUCB (Li et al. 2010, Algorithm 1), LinUCB with hybrid models (Algorithm 2: one ridge
regression on (z, x in the arm's block), z the features of the arm times the context) or Thompson sampling of disjoint models
(with the normal variates that the log brings) retain, and the condition number of the worst matrix at the end. Numbers are
what f64 makes of them: both programs start from the same. With a method of scaling learners see columns scaled by means and
deviations of exact fractions, rounded once.
"""

import json
import sys
from fractions import Fraction

import mpmath as mp

mp.mp.dps = 80
TAU = mp.mpf("1e-6")


def inverse_of(A):
    """By Cholesky. A: rows."""
    n = len(A)
    L = [[mp.mpf(0)] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            s = A[i][j] - mp.fdot(L[i][:j], L[j][:j])
            L[i][j] = mp.sqrt(s) if i == j else s / L[j][j]
    N = [[mp.mpf(0)] * n for _ in range(n)]
    for j in range(n):
        for i in range(j, n):
            N[i][j] = (int(i == j) - mp.fdot(L[i][j:i], [N[k][j] for k in range(j, i)])) / L[i][i]
    return [[mp.fsum(N[k][i] * N[k][j] for k in range(max(i, j), n)) for j in range(n)] for i in range(n)]


def condition(A, inverse):
    norm = lambda M: max(mp.fsum(abs(v) for v in row) for row in M)
    return norm(A) * norm(inverse)


def choice(scores):
    most = max(scores)
    least = most - TAU * max(1, abs(most))
    return next(i for i, s in enumerate(scores) if s >= least)


class Ridge:
    def __init__(self, n, lam):
        self.A = [[mp.mpf(lam) if i == j else mp.mpf(0) for j in range(n)] for i in range(n)]
        self.b = [mp.mpf(0)] * n
        self.solve()

    def solve(self):
        self.inverse = inverse_of(self.A)
        self.theta = [mp.fdot(row, self.b) for row in self.inverse]

    def learn(self, phi, r):
        places = [i for i, v in enumerate(phi) if v]
        for i in places:
            self.b[i] += r * phi[i]
            for j in places:
                self.A[i][j] += phi[i] * phi[j]
        self.solve()

    def mean(self, phi):
        return mp.fdot(self.theta, phi)

    def width(self, phi):
        places = [i for i, v in enumerate(phi) if v]
        square = mp.fsum(phi[i] * mp.fdot((self.inverse[i][j], phi[j]) for j in places) for i in places)
        return mp.sqrt(max(mp.mpf(0), square))


def replay(log):
    K, X = log["arms"], [[mp.mpf(v) for v in x] for x in log["context"]]
    parameters = log["parameters"]
    scale, lam = mp.mpf(parameters.get("alpha", parameters.get("v"))), parameters["lambda"]
    d, features, normals = len(X[0]), log.get("features"), log.get("normals")
    shared = d * len(features[0]) if features else 0
    models = [Ridge(shared + K * d, lam)] * K if features else [Ridge(d, lam) for _ in range(K)]

    def row(x, a):
        if not features:
            return x
        z = [mp.mpf(f) * v for f in features[a] for v in x]
        return z + [mp.mpf(0)] * (a * d) + x + [mp.mpf(0)] * ((K - a - 1) * d)

    kept = []
    for t, x in enumerate(X):
        rows = [row(x, a) for a in range(K)]
        draws = [mp.mpf(z) for z in normals[t]] if normals else [1] * K
        scores = [m.mean(phi) + (scale * m.width(phi) * z if scale else 0) for m, phi, z in zip(models, rows, draws)]
        a = log["arm"][t]
        if choice(scores) != a:
            continue
        kept.append(t)
        models[a].learn(rows[a], mp.mpf(log["payoff"][t]))
    return kept, max(condition(m.A, m.inverse) for m in models)


def scale_of(method, column):
    """Offset and divisor."""
    largest = max(abs(x) for x in column)
    if method == "max" or min(column) == max(column):
        return 0.0, largest or 1.0
    if set(column) <= {0, 1}:
        return 0.0, 1.0
    exact = [Fraction(x) for x in column]
    mean = sum(exact) / len(exact)
    variance = sum((x - mean) ** 2 for x in exact) / len(exact)
    return float(mean), float(mp.sqrt(mp.mpf(variance.numerator) / variance.denominator))


def scaled(method, rows):
    scales = [scale_of(method, column) for column in zip(*rows)]
    return [[(x - offset) / divisor for x, (offset, divisor) in zip(row, scales)] for row in rows], scales


def main():
    each = int(sys.argv[1])
    method = sys.argv[2] if len(sys.argv) > 2 else None
    kept, decades = [], [0] * 17
    for number, log in enumerate(json.load(sys.stdin)):
        seen = dict(log)
        if method is not None:
            seen["context"], contexts = scaled(method, log["context"])
            seen["features"], features = scaled(method, log.get("features") or [])
            log["scale"], log["scales"] = method, [contexts, features]
        log["retained"], worst = replay(seen)
        log["condition"] = float(worst)
        decade = min(16, int(mp.floor(mp.log10(worst))))
        print(number, log["kind"], log["algorithm"], len(log["retained"]), f"{float(worst):.1e}", file=sys.stderr, flush=True)
        if decades[decade] == each:
            continue
        decades[decade] += 1
        kept.append(log)
    print(decades, file=sys.stderr)
    json.dump(kept, sys.stdout)


if __name__ == "__main__":
    main()
