// Logs for linear_reference.py: some of each decade of condition numbers from 1 to 10¹⁶, and beyond.
// Run: node test/large/linear-logs.mjs 20 1 > logs.json   (logs of a decade, first seed)

import { Matrix, SVD } from 'ml-matrix';
import { Draws } from '../../dist/learner/draws.js';
import { STREAM } from '../../dist/random/threefry.js';
import { ALGORITHMS, illConditioned, KINDS } from './ill-conditioned.mjs';

const [each, first] = process.argv.slice(2).map(Number);
const DECADES = 17;

/** log10 of the condition number of λI + Σ φφᵀ over an arm's share of the events: the square of that of its rows. */
function decadeOf({ context, arm, arms, features, parameters: { lambda } }) {
  const width = features === undefined ? 0 : features[0].length;
  const d = context[0].length;
  const n = features === undefined ? d : d * (width + arms);
  const prior = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => Math.sqrt(lambda) * (i === j)));
  const phi = (x, a) => {
    if (features === undefined) return x;
    const blocks = Array.from({ length: arms }, (_, other) => x.map((v) => (other === a ? v : 0)));
    return [...features[a].flatMap((f) => x.map((v) => f * v)), ...blocks.flat()];
  };
  const share = features === undefined ? arms * arms : arms;
  const rows = context.map((x, t) => phi(x, arm[t])).filter((_, t) => t % share === 0);
  const { diagonal } = new SVD(new Matrix([...prior, ...rows]), {
    computeLeftSingularVectors: false,
    computeRightSingularVectors: false,
  });
  return 2 * Math.log10(Math.max(...diagonal) / Math.min(...diagonal));
}

/** The power of two that comes nearest to a condition number, and how far off it is. */
function exponentFor(spec, target) {
  let best = { off: Number.POSITIVE_INFINITY, exponent: 0 };
  const look = (exponent) => {
    const off = Math.abs(decadeOf(illConditioned({ ...spec, exponent })) - target);
    if (off < best.off) best = { off, exponent };
  };
  for (let e = -40; e <= 40; e += 4) look(e);
  const { exponent } = best;
  for (const e of [-3, -2, -1, 1, 2, 3]) look(exponent + e);
  return best;
}

const logs = [];
for (let n = 0; n < each * DECADES; n++) {
  const turn = n + Math.floor(n / DECADES);
  const spec = { seed: first + n, algorithm: ALGORITHMS[turn % ALGORITHMS.length], kind: '', exponent: 0 };
  // Not every kind can be as well, or as badly, conditioned as any other.
  for (let off = 1, k = 0; off > 0.5 && k < KINDS.length; k++) {
    spec.kind = KINDS[(turn + k) % KINDS.length];
    ({ off, exponent: spec.exponent } = exponentFor(spec, (n % DECADES) + 0.5));
  }
  const log = illConditioned(spec);
  // As a replay with seed 0 draws them, for replica 0.
  const draws = new Draws(0, 0, STREAM.exploration);
  const normals = log.context.map((_, t) => Array.from({ length: log.arms }, (_, a) => draws.normal(t, a)));
  logs.push({ ...spec, ...log, ...(spec.algorithm === 'lin-thompson' && { normals }) });
}
process.stdout.write(JSON.stringify(logs));
