/**
 * Learners against small programs written from their papers, over 100,000 and more matches each: do they retain the same events?
 * These share nothing with src/ but the numbers drawn at random: matrices are solved afresh for every update by elimination,
 * eigenvectors found by two-sided rotations. Run by hand after `npm run build`, some minutes:
 *
 *     node test/large/by-the-paper.mjs [events, default 520000] [seed, default 1]
 *
 * Exit status 1 where any differs.
 */

import { logFromColumns, replay } from '../../dist/index.js';
import { Draws } from '../../dist/learner/draws.js';
import { STREAM } from '../../dist/random/threefry.js';

const [events = 520_000, seed = 1] = process.argv.slice(2).map(Number);
const K = 5;
const TIE = 1e-6;
const zeros = (n) => new Array(n).fill(0);
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const identity = (d, size) => zeros(d).map((_, i) => zeros(d).map((_, j) => (i === j ? size : 0)));
const sigmoid = (z) => 1 / (1 + Math.exp(-z));

/** Of three levels each, so that a fit is a sum over 27 contexts; of length 1 at most, as LinRel wants it. */
let state = seed;
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const kinds = Array.from({ length: 27 }, (_, k) => [k % 3, Math.floor(k / 3) % 3, Math.floor(k / 9)]).map(
  ([a, b, c]) => [...[[-0.41, 0.07, 0.53][a], [0.11, -0.29, 0.37][b], [0.47, 0.23, -0.31][c]], 0.5],
);
const truth = Array.from({ length: K }, () => kinds[0].map(() => 4 * random() - 2));
const kind = Array.from({ length: events }, () => Math.floor(27 * random()));
const arm = kind.map(() => Math.floor(K * random()));
const payoff = kind.map((k, t) => (random() < sigmoid(dot(truth[arm[t]], kinds[k]) - 1) ? 1 : 0));

/** x with A x = b. */
function solve(A, b) {
  const rows = A.map((row, i) => [...row, b[i]]);
  const n = b.length;
  for (let i = 0; i < n; i++) {
    let pivot = i;
    for (let r = i; r < n; r++) if (Math.abs(rows[r][i]) > Math.abs(rows[pivot][i])) pivot = r;
    [rows[i], rows[pivot]] = [rows[pivot], rows[i]];
    for (let r = i + 1; r < n; r++) {
      const factor = rows[r][i] / rows[i][i];
      for (let c = i; c <= n; c++) rows[r][c] -= factor * rows[i][c];
    }
  }
  const x = zeros(n);
  for (let i = n - 1; i >= 0; i--) {
    let sum = rows[i][n];
    for (let c = i + 1; c < n; c++) sum -= rows[i][c] * x[c];
    x[i] = sum / rows[i][i];
  }
  return x;
}

function addOuter(A, x, w) {
  for (let i = 0; i < x.length; i++) for (let j = 0; j < x.length; j++) A[i][j] += w * x[i] * x[j];
}

/** Eigenvalues of a symmetric matrix and, as rows, its eigenvectors (Jacobi). */
function eigen(matrix) {
  const A = matrix.map((row) => [...row]);
  const n = A.length;
  const V = identity(n, 1);
  for (let sweep = 0; sweep < 12; sweep++) {
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        if (A[p][q] === 0) continue;
        const angle = Math.atan2(2 * A[p][q], A[q][q] - A[p][p]) / 2;
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        for (let i = 0; i < n; i++) [A[i][p], A[i][q]] = [c * A[i][p] - s * A[i][q], s * A[i][p] + c * A[i][q]];
        for (let i = 0; i < n; i++) [A[p][i], A[q][i]] = [c * A[p][i] - s * A[q][i], s * A[p][i] + c * A[q][i]];
        for (let i = 0; i < n; i++) [V[p][i], V[q][i]] = [c * V[p][i] - s * V[q][i], s * V[p][i] + c * V[q][i]];
      }
    }
  }
  return { values: A.map((row, i) => row[i]), vectors: V };
}

const d = kinds[0].length;
const perArm = (make) => Array.from({ length: K }, make);
/** Scores of an arm for every kind of context, made anew when the arm has learnt. */
function scored(scoresOf, learn) {
  const known = zeros(K).map(() => null);
  return {
    choose(t) {
      const scores = known.map((one, a) => {
        known[a] = one ?? scoresOf(a);
        return known[a](kind[t], t, a);
      });
      const most = Math.max(...scores);
      return scores.findIndex((score) => score >= most - TIE * Math.max(1, Math.abs(most)));
    },
    learn(t) {
      learn(arm[t], kinds[kind[t]], payoff[t], kind[t]);
      known[arm[t]] = null;
    },
  };
}

const PROGRAMS = {
  /** Agrawal & Goyal 2013, algorithm 1, one model per arm; θ̃ᵀx is normal, with mean θᵀx and variance v² xᵀA⁻¹x. */
  'lin-thompson': ({ v = 0.25, lambda = 1 }, draws) => {
    const A = perArm(() => identity(d, lambda));
    const b = perArm(() => zeros(d));
    return scored(
      (a) => {
        const theta = solve(A[a], b[a]);
        const moments = kinds.map((x) => [dot(theta, x), v * Math.sqrt(dot(x, solve(A[a], x)))]);
        return (k, t) => moments[k][0] + moments[k][1] * draws.normal(t, a);
      },
      (a, x, r) => {
        addOuter(A[a], x, 1);
        x.forEach((xi, i) => {
          b[a][i] += r * xi;
        });
      },
    );
  },
  /** Filippi et al. 2010, GLM-UCB with a ridge: Newton's method from 0, to a step of nothing. */
  'glm-ucb': ({ rho = 0.5, lambda = 1 }) => {
    const A = perArm(() => identity(d, lambda));
    const counts = perArm(() => zeros(27));
    const ones = perArm(() => zeros(27));
    let learnt = 0;
    return scored(
      (a) => {
        let theta = zeros(d);
        for (let size = 1, n = 0; size > 1e-13 && n < 60; n++) {
          const H = identity(d, lambda);
          const gradient = theta.map((x) => -lambda * x);
          kinds.forEach((x, k) => {
            const p = sigmoid(dot(theta, x));
            addOuter(H, x, counts[a][k] * p * (1 - p));
            for (let i = 0; i < d; i++) gradient[i] += (ones[a][k] - counts[a][k] * p) * x[i];
          });
          const step = solve(H, gradient);
          size = Math.hypot(...step);
          theta = theta.map((x, i) => x + step[i]);
        }
        const parts = kinds.map((x) => [sigmoid(dot(theta, x)), Math.sqrt(dot(x, solve(A[a], x)))]);
        return (k) => parts[k][0] + rho * Math.sqrt(Math.log(1 + learnt + 1)) * parts[k][1];
      },
      (a, x, r, k) => {
        addOuter(A[a], x, 1);
        counts[a][k]++;
        ones[a][k] += r;
        learnt++;
      },
    );
  },
  /** Li et al. 2011, section 5, as src/learner/linear/cemp.ts states the model: A ← A + p(1 − p) xxᵀ, θ ← θ + A⁻¹x (r − p). */
  cemp: ({ lambda = 1, prior = 0.5 }) => {
    const A = perArm(() => identity(d, lambda));
    const theta = perArm(() => zeros(d));
    return scored(
      (a) => (k) => dot(theta[a], kinds[k]),
      (a, x, r) => {
        const p = sigmoid(Math.log(prior / (1 - prior)) + dot(theta[a], x));
        addOuter(A[a], x, p * (1 - p));
        const gain = solve(A[a], x);
        theta[a] = theta[a].map((value, i) => value + gain[i] * (r - p));
      },
    );
  },
  /** Auer 2002, section 4: LinRel, with the context in the arm's own block. */
  linrel: ({ alpha = 1, delta = 0.05 }) => {
    const Z = perArm(() => identity(d, 0));
    const y = perArm(() => zeros(d));
    const factor = Math.sqrt(Math.log((2 * events * K) / delta));
    return scored(
      (a) => {
        const { values, vectors } = eigen(Z[a]);
        const scores = kinds.map((x) => {
          let [mean, a2, v2] = [0, 0, 0];
          vectors.forEach((u, j) => {
            const z = dot(u, x);
            if (values[j] < 1) v2 += z * z;
            else {
              mean += (z * dot(u, y[a])) / values[j];
              a2 += (z * z) / values[j];
            }
          });
          return mean + alpha * (Math.sqrt(a2) * factor + Math.sqrt(v2));
        });
        return (k) => scores[k];
      },
      (a, x, r) => {
        addOuter(Z[a], x, 1);
        x.forEach((xi, i) => {
          y[a][i] += r * xi;
        });
      },
    );
  },
  /** Auer et al. 2002, figure 1; Exp4 with experts that always advise one arm, and one that advises all alike. */
  exp3: (parameters, draws) =>
    exponential(
      parameters,
      draws,
      perArm((_, a) => perArm((_, b) => Number(a === b))),
    ),
  exp4: (parameters, draws) =>
    exponential(parameters, draws, [...[0, 2, 3].map((a) => perArm((_, b) => Number(a === b))), perArm(() => 1 / K)]),
};

function exponential({ gamma = 0.1 }, draws, advice) {
  const logs = advice.map(() => 0);
  const chances = () => {
    const most = Math.max(...logs);
    const weights = logs.map((one) => Math.exp(one - most));
    const all = weights.reduce((a, b) => a + b);
    return perArm(
      (_, a) => (1 - gamma) * (advice.reduce((sum, xi, i) => sum + weights[i] * xi[a], 0) / all) + gamma / K,
    );
  };
  let p = chances();
  return {
    choose(t) {
      let left = draws.unit(t, 0);
      return p.findIndex((chance, a) => {
        left -= chance;
        return left < 0 || a === K - 1;
      });
    },
    learn(t) {
      const estimate = payoff[t] / p[arm[t]];
      advice.forEach((xi, i) => {
        logs[i] += (gamma * xi[arm[t]] * estimate) / K;
      });
      p = chances();
    },
  };
}

const EXPERTS = [0, 2, 3].map((a) => ({ family: 'constant', arms: [String(a)] }));
const LEARNERS = [
  { algorithm: 'lin-thompson' },
  { algorithm: 'lin-thompson', v: 2, lambda: 0.1 },
  { algorithm: 'glm-ucb' },
  { algorithm: 'glm-ucb', rho: 2, lambda: 0.1 },
  { algorithm: 'cemp' },
  { algorithm: 'cemp', lambda: 20, prior: 0.9 },
  { algorithm: 'linrel' },
  { algorithm: 'linrel', alpha: 0.3 },
  { algorithm: 'exp3' },
  { algorithm: 'exp3', gamma: 0.01 },
  { algorithm: 'exp4', experts: [...EXPERTS, { family: 'uniform' }] },
];
const log = logFromColumns({ armIndex: arm, arms: K, payoff, context: kind.map((k) => kinds[k]) });
const rows = [];
for (const learner of LEARNERS) {
  const started = performance.now();
  const { learners } = await replay(log, [learner], { device: 'cpu', replicas: true, assumeUniform: true });
  const { retained } = learners[0].replicas[0];
  const between = performance.now();
  const program = PROGRAMS[learner.algorithm](learner, new Draws(0, 0, STREAM.exploration));
  const needed = [];
  for (let t = 0; t < events; t++) {
    if (program.choose(t) !== arm[t]) continue;
    needed.push(t);
    program.learn(t);
  }
  const first = needed.findIndex((t, i) => t !== retained[i]);
  const same = first < 0 && needed.length === retained.length;
  const seconds = (from, to) => ((to - from) / 1000).toFixed(1);
  rows.push({
    learner: learners[0].name,
    matches: retained.length,
    'by the paper': needed.length,
    same: same ? 'all' : `up to match ${first}`,
    'seconds here': seconds(started, between),
    there: seconds(between, performance.now()),
  });
  console.log(JSON.stringify(rows.at(-1)));
}
console.table(rows);
process.exit(rows.every(({ same }) => same === 'all') ? 0 : 1);
