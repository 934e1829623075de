"""Linear learners in 80-digit arithmetic (mpmath), by a fresh solve for every update, and the logs they are run on.

    python3 test/large/linear_reference.py LOGS SEED > cases.json

Writes LOGS logs of several kinds, ill-conditioned ones among them, each with the events that LinUCB (Li et al. 2010,
Algorithm 1), LinUCB with hybrid models (Algorithm 2: one ridge regression on (x in the arm's block, z)) and, as a stand-in
for lin-thompson, greedy ridge regression (alpha = 0) retain, and the condition number of the worst matrix at the end.
Numbers are what f64 makes of them: both programs start from the same.
"""

import json
import math
import random
import sys

import mpmath as mp

mp.mp.dps = 80
TAU = mp.mpf('1e-6')


def contexts(kind, n, d, rng):
    u = rng.random
    if kind == 'plain':
        return [[u() for _ in range(d)] for _ in range(n)]
    if kind == 'unix':
        return [[1.58e9 + 86400.0 * t + float(rng.randrange(86400))] + [float(rng.randrange(2)) for _ in range(d - 2)] + [1.0] for t in range(n)]
    if kind == 'milliseconds':
        return [[(1.58e9 + 3600.0 * t) * 1e3] + [float(rng.randrange(2)) for _ in range(d - 2)] + [1.0] for t in range(n)]
    if kind == 'cents':
        rows = []
        for _ in range(n):
            e = rng.randrange(10 ** 6, 5 * 10 ** 6)
            rows.append(([float(e), float(100 * e)] + [u() for _ in range(d - 2)])[: d - 1] + [1.0])
        return rows
    if kind == 'onehot':
        rows = []
        for _ in range(n):
            level = rng.randrange(d - 1)
            rows.append([1.0 if j == level else 0.0 for j in range(d - 1)] + [1.0])
        return rows
    if kind == 'hilbert':
        return [[float(x) ** j for j in range(d)] for x in (u() for _ in range(n))]
    if kind == 'powers':
        scale = 10.0 ** rng.randrange(1, 9)
        return [[(scale * x) ** j if j < 3 else x ** j for j in range(d)] for x in (u() for _ in range(n))]
    if kind == 'tiny':
        return [[1e-6 * u()] + [u() for _ in range(d - 1)] for _ in range(n)]
    if kind == 'duplicates':
        rows = []
        for _ in range(n):
            x = 10.0 ** rng.uniform(3, 3.01) * u()
            rows.append([x] * (d - 1) + [u()])
        return rows
    if kind == 'nearly':
        s = 10.0 ** rng.randrange(0, 12)
        e = 10.0 ** -rng.randrange(3, 14)
        rows = []
        for _ in range(n):
            x = s * u()
            rows.append([x, x * (1 + e * u())] + [s * u() for _ in range(d - 2)])
        return rows
    if kind == 'wide':
        spread = rng.randrange(1, 9)
        return [[u() * 10.0 ** (spread * j / max(1, d - 1)) for j in range(d)] for _ in range(n)]
    if kind == 'offset':
        base = 10.0 ** rng.randrange(2, 13)
        return [[base + u() for _ in range(d - 1)] + [1.0] for _ in range(n)]
    raise ValueError(kind)


KINDS = ['plain', 'unix', 'milliseconds', 'cents', 'onehot', 'hilbert', 'powers', 'tiny', 'duplicates', 'nearly', 'wide', 'offset']


def solve(A, columns):
    """A⁻¹ of the columns by Cholesky."""
    n = A.rows
    L = mp.cholesky(A)
    out = []
    for b in columns:
        y = [mp.mpf(0)] * n
        for i in range(n):
            y[i] = (b[i] - mp.fsum(L[i, k] * y[k] for k in range(i))) / L[i, i]
        for i in range(n - 1, -1, -1):
            y[i] = (y[i] - mp.fsum(L[k, i] * y[k] for k in range(i + 1, n))) / L[i, i]
        out.append(y)
    return out


def condition(A):
    n = A.rows
    inverse = solve(A, [[mp.mpf(int(i == j)) for i in range(n)] for j in range(n)])
    norm = max(mp.fsum(abs(A[i, j]) for i in range(n)) for j in range(n))
    return norm * max(mp.fsum(abs(v) for v in column) for column in inverse)


def inverse_of(A):
    n = A.rows
    return solve(A, [[mp.mpf(int(i == j)) for i in range(n)] for j in range(n)])


def choice(scores):
    most = max(scores)
    least = most - TAU * max(1, abs(most))
    return next(i for i, s in enumerate(scores) if s >= least)


def disjoint(X, arm, payoff, K, alpha, lam):
    d = len(X[0])
    A = [mp.eye(d) * mp.mpf(lam) for _ in range(K)]
    b = [[mp.mpf(0)] * d for _ in range(K)]
    inverse = [inverse_of(a) for a in A]
    theta = [[mp.mpf(0)] * d for _ in range(K)]
    kept = []
    for t, x in enumerate(X):
        x = [mp.mpf(v) for v in x]
        scores = []
        for a in range(K):
            g = [mp.fdot(column, x) for column in inverse[a]]
            scores.append(mp.fdot(theta[a], x) + mp.mpf(alpha) * mp.sqrt(max(mp.mpf(0), mp.fdot(g, x))))
        a = arm[t]
        if choice(scores) != a:
            continue
        kept.append(t)
        for i in range(d):
            b[a][i] += payoff[t] * x[i]
            for j in range(d):
                A[a][i, j] += x[i] * x[j]
        inverse[a] = inverse_of(A[a])
        theta[a] = [mp.fdot(column, b[a]) for column in inverse[a]]
    return kept, max(condition(a) for a in A)


def hybrid(X, arm, payoff, K, alpha, lam, features):
    """z: the features of the arm times the context."""
    d, w = len(X[0]), len(features[0])
    k = d * w
    n = k + K * d
    A = mp.eye(n) * mp.mpf(lam)
    b = [mp.mpf(0)] * n
    inverse = inverse_of(A)
    theta = [mp.mpf(0)] * n
    kept = []
    for t, x in enumerate(X):
        x = [mp.mpf(v) for v in x]
        scores, rows = [], []
        for a in range(K):
            row = {i * d + j: mp.mpf(features[a][i]) * x[j] for i in range(w) for j in range(d)}
            row.update({k + a * d + j: x[j] for j in range(d)})
            rows.append(row)
            mean = mp.fsum(theta[i] * v for i, v in row.items())
            square = mp.fsum(inverse[i][j] * v * u for i, v in row.items() for j, u in row.items())
            scores.append(mean + mp.mpf(alpha) * mp.sqrt(max(mp.mpf(0), square)))
        a = arm[t]
        if choice(scores) != a:
            continue
        kept.append(t)
        for i, v in rows[a].items():
            b[i] += payoff[t] * v
            for j, u in rows[a].items():
                A[i, j] += v * u
        # Sherman and Morrison in 80 digits: exact for these sizes to 40 digits and more.
        row = rows[a]
        g = [mp.fsum(inverse[i][j] * v for j, v in row.items()) for i in range(n)]
        s = 1 + mp.fsum(g[i] * v for i, v in row.items())
        inverse = [[inverse[i][j] - g[i] * g[j] / s for j in range(n)] for i in range(n)]
        theta = [mp.fdot(inverse[i], b) for i in range(n)]
    return kept, condition(A)


def main(logs, seed):
    rng = random.Random(seed)
    cases = []
    for number in range(logs):
        kind = KINDS[number % len(KINDS)]
        mixed = number % 8 == 7
        K = rng.randrange(2, 6) if not mixed else rng.randrange(2, 4)
        d = rng.randrange(2, 9) if not mixed else rng.randrange(2, 4)
        if kind in ('unix', 'milliseconds', 'cents', 'onehot', 'offset', 'duplicates', 'nearly'):
            d = max(d, 3)
        n = rng.randrange(200, 501) if not mixed else 200
        X = contexts(kind, n, d, rng)
        arm = [rng.randrange(K) for _ in range(n)]
        rate = [rng.uniform(0.1, 0.6) for _ in range(K)]
        payoff = [int(rng.random() < rate[a]) for a in arm]
        alpha = rng.choice([0, 0.1, 0.5, 1, 2])
        lam = rng.choice([1, 1, 1, 0.01, 10])
        case = {'kind': kind, 'arms': K, 'alpha': alpha, 'lambda': lam, 'context': X, 'arm': arm, 'payoff': payoff}
        if mixed:
            case['features'] = [[rng.random(), 1.0] for _ in range(K)]
            kept, cond = hybrid(X, arm, payoff, K, alpha, lam, case['features'])
        else:
            kept, cond = disjoint(X, arm, payoff, K, alpha, lam)
        case['retained'] = kept
        case['condition'] = float(cond)
        cases.append(case)
        print(number, kind, 'hybrid' if mixed else 'linucb', K, d, n, len(kept), f'{float(cond):.1e}', file=sys.stderr, flush=True)
    json.dump(cases, sys.stdout)


if __name__ == '__main__':
    main(int(sys.argv[1]), int(sys.argv[2]))
