/**
 * How far ridge regression drifts from the exact solution over a million updates, by number format and form of the state.
 *
 *   node bench/drift.mjs      (after npm run build; two minutes or so)
 *
 * f64 and double-doubles are the CPU engine's own code; f32 is emulated with Math.fround, pairs of f32 with the formulas of
 * shaders/lib/pair.wgsl. Nothing is timed, and no GPU is needed. Features are multiples of 2⁻¹⁶, so that A and b are exact in f64; the system is solved in integers.
 */

import { RootFactors } from '../dist/learner/linear/root-factors.js';
import { WideFactors } from '../dist/learner/linear/wide-factors.js';
import { threefry2x32 } from '../dist/random/threefry.js';

const D = 6;
const UNIT = 65536;
const CHECKPOINTS = [1e3, 1e4, 1e5, 1e6];
const PAYOFF_RATE = 0.05;
const REFRESH = 512;
const PROBES = 100;
const f = Math.fround;

// ---------------------------------------------------------------------------------------------------------------------
// Arithmetics

/** Operations that the closed-form update needs; values are numbers or [high, low]. */
const F64 = {
  of: (x) => x,
  value: (a) => a,
  mul: (a, b) => a * b,
  mulAdd: (a, b, c) => a * b + c,
  mulAddScalar: (a, x, c) => a * x + c,
  negate: (a) => -a,
  div: (a, b) => a / b,
  inverseSqrt: (a) => 1 / Math.sqrt(a),
};

const F32 = {
  of: f,
  value: (a) => a,
  mul: (a, b) => f(a * b),
  mulAdd: (a, b, c) => f(f(a * b) + c),
  mulAddScalar: (a, x, c) => f(f(a * x) + c),
  negate: (a) => -a,
  div: (a, b) => f(a / b),
  inverseSqrt: (a) => f(1 / f(Math.sqrt(a))),
};

function fastSum(a, b) {
  const s = f(a + b);
  return [s, f(b - f(s - a))];
}

function pairSum(a, b) {
  const s = f(a + b);
  const fromB = f(s - a);
  const fromA = f(s - fromB);
  return [s, f(f(a - fromA) + f(b - fromB))];
}

/** f64 holds the product, so that its error needs no splitting here; the result is pair.wgsl's. */
function pairProduct(a, b) {
  const p = f(a * b);
  return [p, f(a * b - p)];
}

function remainder(a, q, b) {
  const p = pairProduct(q, b[0]);
  return f(f(f(a[0] - p[0]) - p[1]) + f(a[1] - f(q * b[1])));
}

const PAIRS = {
  of: (x) => [f(x), f(x - f(x))],
  value: (a) => a[0] + a[1],
  mul(a, b) {
    const p = pairProduct(a[0], b[0]);
    return fastSum(p[0], f(p[1] + f(f(a[0] * b[1]) + f(a[1] * b[0]))));
  },
  mulAdd(a, b, c) {
    const p = pairProduct(a[0], b[0]);
    const s = pairSum(p[0], c[0]);
    return fastSum(s[0], f(s[1] + f(f(p[1] + f(f(a[0] * b[1]) + f(a[1] * b[0]))) + c[1])));
  },
  mulAddScalar(a, x, c) {
    const p = pairProduct(a[0], x);
    const s = pairSum(p[0], c[0]);
    return fastSum(s[0], f(s[1] + f(f(p[1] + f(a[1] * x)) + c[1])));
  },
  negate: (a) => [-a[0], -a[1]],
  div(a, b) {
    const q = f(a[0] / b[0]);
    return fastSum(q, f(remainder(a, q, b) / b[0]));
  },
  inverseSqrt(a) {
    const y = f(1 / f(Math.sqrt(a[0])));
    const t = PAIRS.mul(a, pairProduct(y, y));
    const h = f(f(1 - t[0]) - t[1]);
    return fastSum(y, f(y * f(h * f(0.5 + f(0.375 * h)))));
  },
};

// ---------------------------------------------------------------------------------------------------------------------
// Methods: each keeps a state, takes (x, r), and tells θ and √(xᵀA⁻¹x)

const zeros = () => Array.from({ length: D }, () => new Array(D).fill(0));
const identity = () => zeros().map((row, i) => row.map((_, j) => (i === j ? 1 : 0)));

function dot32(a, b) {
  let sum = 0;
  for (let j = 0; j < D; j++) sum = f(sum + f(a[j] * b[j]));
  return sum;
}

function shermanMorrison32(inverse, x) {
  const v = inverse.map((row) => dot32(row, x));
  const denominator = f(1 + dot32(v, x));
  for (let i = 0; i < D; i++) {
    const g = f(v[i] / denominator);
    for (let j = 0; j < D; j++) inverse[i][j] = f(inverse[i][j] - f(g * v[j]));
  }
}

/** L of A = L·Lᵀ in f32; null where a pivot is not positive. */
function cholesky32(a) {
  const l = zeros();
  for (let i = 0; i < D; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = a[i][j];
      for (let k = 0; k < j; k++) sum = f(sum - f(l[i][k] * l[j][k]));
      if (i > j) l[i][j] = f(sum / l[j][j]);
      else if (sum > 0) l[i][i] = f(Math.sqrt(sum));
      else return null;
    }
  }
  return l;
}

function forward32(l, x) {
  const z = [];
  for (let i = 0; i < D; i++) {
    let sum = x[i];
    for (let j = 0; j < i; j++) sum = f(sum - f(l[i][j] * z[j]));
    z.push(f(sum / l[i][i]));
  }
  return z;
}

function backward32(l, z) {
  const x = new Array(D);
  for (let i = D - 1; i >= 0; i--) {
    let sum = z[i];
    for (let j = i + 1; j < D; j++) sum = f(sum - f(l[j][i] * x[j]));
    x[i] = f(sum / l[i][i]);
  }
  return x;
}

/** b += r·x. */
function addTo32(b, x, r) {
  for (let j = 0; j < D; j++) b[j] = f(b[j] + f(r * x[j]));
}

const widthOf = (inverse) => (x) =>
  Math.sqrt(
    dot32(
      x,
      inverse.map((row) => dot32(row, x)),
    ),
  );

function inverseInF32() {
  const inverse = identity();
  const b = new Array(D).fill(0);
  return {
    update(x, r) {
      shermanMorrison32(inverse, x);
      addTo32(b, x, r);
    },
    theta: () => inverse.map((row) => dot32(row, b)),
    width: widthOf(inverse),
  };
}

/** Rank-1 update of L by rotations (Gill, Golub, Murray & Saunders 1974). */
function choleskyInF32() {
  const l = identity();
  const b = new Array(D).fill(0);
  return {
    update(x, r) {
      const w = [...x];
      for (let k = 0; k < D; k++) {
        const length = f(Math.sqrt(f(f(l[k][k] * l[k][k]) + f(w[k] * w[k]))));
        const c = f(l[k][k] / length);
        const s = f(w[k] / length);
        l[k][k] = length;
        for (let i = k + 1; i < D; i++) {
          const old = l[i][k];
          l[i][k] = f(f(c * old) + f(s * w[i]));
          w[i] = f(f(c * w[i]) - f(s * old));
        }
      }
      addTo32(b, x, r);
    },
    theta: () => backward32(l, forward32(l, b)),
    width(x) {
      const z = forward32(l, x);
      return Math.sqrt(dot32(z, z));
    },
  };
}

/** Sums A and b, an inverse from them every 512 updates, Sherman–Morrison between. */
function refreshedInF32() {
  const a = identity();
  const b = new Array(D).fill(0);
  const inverse = identity();
  let updates = 0;
  let failed = 0;
  const refresh = () => {
    const l = cholesky32(a);
    if (l === null) {
      failed++;
      return;
    }
    identity().forEach((unit, j) => {
      backward32(l, forward32(l, unit)).forEach((value, i) => {
        inverse[i][j] = value;
      });
    });
  };
  return {
    update(x, r) {
      for (let i = 0; i < D; i++) for (let j = 0; j < D; j++) a[i][j] = f(a[i][j] + f(x[i] * x[j]));
      addTo32(b, x, r);
      shermanMorrison32(inverse, x);
      updates++;
      if (updates % REFRESH === 0) refresh();
    },
    theta: () => inverse.map((row) => dot32(row, b)),
    width: widthOf(inverse),
    note: () => (failed > 0 ? `, ${failed} refreshes failed` : ''),
  };
}

/** State R = L⁻¹ (A = L·Lᵀ) and θ, updated in closed form in any arithmetic. */
function closedForm(m) {
  const root = identity().map((row) => row.map(m.of));
  const theta = new Array(D).fill(0).map(m.of);
  const [zero, one] = [m.of(0), m.of(1)];
  const times = (x) =>
    root.map((row, i) => {
      let y = zero;
      for (let j = 0; j <= i; j++) y = m.mulAddScalar(row[j], x[j], y);
      return y;
    });
  return {
    root,
    update(x, r) {
      const y = times(x);
      const p = [];
      const q = [];
      let s = one;
      for (let i = 0; i < D; i++) {
        const next = m.mulAdd(y[i], y[i], s);
        const g = m.inverseSqrt(m.mul(s, next));
        p.push(m.mul(s, g));
        q.push(m.negate(m.mul(y[i], g)));
        s = next;
      }
      let error = m.of(r);
      for (let j = 0; j < D; j++) error = m.mulAddScalar(m.negate(theta[j]), x[j], error);
      const step = m.div(error, s);
      for (let j = 0; j < D; j++) {
        let gain = zero;
        for (let i = j; i < D; i++) {
          const old = root[i][j];
          root[i][j] = m.mulAdd(p[i], old, m.mul(q[i], gain));
          gain = m.mulAdd(y[i], old, gain);
        }
        theta[j] = m.mulAdd(gain, step, theta[j]);
      }
    },
    theta: () => theta.map(m.value),
    width(x) {
      let sum = zero;
      for (const y of times(x)) sum = m.mulAdd(y, y, sum);
      return Math.sqrt(m.value(sum));
    },
  };
}

/** What the CPU engine computes with. @param row what `factors` reads x from */
function engines(factors, row) {
  const load = (x) => {
    row.set(x);
    factors.load();
  };
  return {
    update(x, r) {
      load(x);
      factors.regress(0, r);
    },
    theta: () => [...factors.coefficients().theta],
    width(x) {
      load(x);
      return Math.sqrt(factors.variance(0));
    },
  };
}

function rootsInF64(formed) {
  const row = new Float64Array(D);
  return engines(new RootFactors(1, row, 1, formed), row);
}

function doubleDoubles() {
  const factors = new WideFactors({ arms: 1, d: D, k: 0 }, 1);
  return engines(factors, factors.row);
}

const METHODS = {
  'f32: A⁻¹ by Sherman–Morrison, sums b': inverseInF32,
  'f32: L by rank-1 updates, sums b': choleskyInF32,
  'f32: sums A and b, A⁻¹ refreshed every 512': refreshedInF32,
  'f32: R = L⁻¹ and θ in closed form': () => closedForm(F32),
  'pairs: R = L⁻¹ and θ in closed form': () => closedForm(PAIRS),
  'f64: R = L⁻¹ and θ (root-factors.ts), widths from A⁻¹ = RᵀR': () => rootsInF64(true),
  'f64: the same, widths from R': () => rootsInF64(false),
  'double-doubles: L by rotations (wide-factors.ts)': doubleDoubles,
};

// ---------------------------------------------------------------------------------------------------------------------
// Data and the exact solution

const words = new Uint32Array(2);
function draw(stream, event, k) {
  threefry2x32(stream, 0, event, k, words);
  return (words[0] + 0.5) / 2 ** 32;
}

/** Contexts in units of 2⁻¹⁶. */
const CONTEXTS = {
  /** Five positive features with sum 1, and the constant 1: A has the eigenvalue 1 of the prior for ever. */
  collinear(event) {
    const weights = Array.from({ length: 5 }, (_, k) => -Math.log(draw(1, event, k)));
    const total = weights.reduce((sum, one) => sum + one, 0);
    const x = weights.slice(0, 4).map((one) => Math.floor((one / total) * UNIT));
    return [...x, UNIT - x[0] - x[1] - x[2] - x[3], UNIT];
  },
  'well-conditioned': (event) => Array.from({ length: D }, (_, k) => Math.floor((2 * draw(2, event, k) - 1) * UNIT)),
};

/** Solves a·X = b exactly (Bareiss 1968: every division comes out even); integers in, f64 out. */
function solveExactly(a, b) {
  const n = a.length;
  const m = a.map((row, i) => [...row, ...b[i]].map(BigInt));
  let previous = 1n;
  for (let k = 0; k < n; k++) {
    for (let i = 0; i < n; i++) {
      if (i === k) continue;
      for (let j = n + b[0].length - 1; j >= 0; j--) {
        if (j !== k) m[i][j] = (m[i][j] * m[k][k] - m[i][k] * m[k][j]) / previous;
      }
      m[i][k] = 0n;
    }
    previous = m[k][k];
  }
  return m.map((row, i) => row.slice(n).map((value) => Number((value << 200n) / row[i]) / 2 ** 200));
}

/** A and b as integers: A in 2⁻³² (below 2⁵³ for 10⁶ updates), b in 2⁻¹⁶. */
function exactSums() {
  const a = identity().map((row) => row.map((one) => one * UNIT * UNIT));
  const b = new Array(D).fill(0);
  return {
    update(x, r) {
      for (let i = 0; i < D; i++) for (let j = 0; j < D; j++) a[i][j] += x[i] * x[j];
      for (let j = 0; j < D; j++) b[j] += r * x[j];
    },
    solve() {
      const scaled = (x) => x.map((one) => [one * UNIT]);
      return {
        theta: solveExactly(a, scaled(b)).map(([one]) => one),
        width: (x) => Math.sqrt(solveExactly(a, scaled(x)).reduce((sum, [one], j) => sum + (one * x[j]) / UNIT, 0)),
      };
    },
  };
}

const norm = (x) => Math.hypot(...x);

const inF64 = (x) => x.map((one) => one / UNIT);

/** ‖θ − θ*‖/‖θ*‖ and the largest relative error of a width. */
function errorsOf(method, solution, probes) {
  const theta = norm(method.theta().map((one, j) => one - solution.theta[j])) / norm(solution.theta);
  const widths = probes.map(({ x, width }) => Math.abs(method.width(inF64(x)) / width - 1));
  // Math.max keeps NaN, the width of a matrix that is no longer positive definite.
  return [theta, Math.max(...widths)];
}

/** R′ᵀR′ = (A + x·xᵀ)⁻¹, in f64 against the exact solution: a wrong formula must not hide behind rounding. */
function checkFormula() {
  for (const [name, contextOf] of Object.entries(CONTEXTS)) {
    const state = closedForm(F64);
    const exact = exactSums();
    for (let t = 0; t < 50; t++) {
      state.update(inF64(contextOf(t)), t % 2);
      exact.update(contextOf(t), t % 2);
    }
    const solution = exact.solve();
    const probes = probesOf(contextOf, solution);
    const errors = errorsOf(state, solution, probes);
    if (!errors.every((error) => error < 1e-13)) throw new Error(`the closed form is wrong (${name}): ${errors}`);
  }
}

/** Contexts after the last update, with their exact widths. */
function probesOf(contextOf, solution) {
  return Array.from({ length: PROBES }, (_, i) => {
    const x = contextOf(CHECKPOINTS.at(-1) + i);
    return { x, width: solution.width(x) };
  });
}

function run(contextOf) {
  const methods = Object.entries(METHODS).map(([name, create]) => ({ name, state: create(), cells: [] }));
  const exact = exactSums();
  for (let t = 0; t < CHECKPOINTS.at(-1); t++) {
    const units = contextOf(t);
    const x = inF64(units);
    const r = draw(3, t, 0) < PAYOFF_RATE ? 1 : 0;
    exact.update(units, r);
    for (const { state } of methods) state.update(x, r);
    if (!CHECKPOINTS.includes(t + 1)) continue;
    const solution = exact.solve();
    const probes = probesOf(contextOf, solution);
    for (const { state, cells } of methods) {
      const [theta, width] = errorsOf(state, solution, probes).map((error) => error.toExponential(0));
      cells.push(`${theta} / ${width}`);
    }
  }
  return methods.map(({ name, state, cells }) => `| ${name}${state.note?.() ?? ''} | ${cells.join(' | ')} |`);
}

checkFormula();
for (const [name, contextOf] of Object.entries(CONTEXTS)) {
  console.log(`| ${name} contexts | ${CHECKPOINTS.map((n) => `${n.toLocaleString('en')} updates`).join(' | ')} |`);
  console.log(`| --- |${' --- |'.repeat(CHECKPOINTS.length)}`);
  console.log(`${run(contextOf).join('\n')}\n`);
}
