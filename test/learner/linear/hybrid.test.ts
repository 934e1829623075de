/** Hybrid LinUCB against Algorithm 2 of Li et al. (2010) as printed: dense matrices, inverted plainly. */
import { describe, expect, it } from 'vitest';
import { linucbHybrid } from '#dist/learner/linear/linucb-hybrid.js';
import type { EventLog } from '#dist/log/event-log.js';
import {
  armFeaturesOf,
  candidatesOf,
  column,
  contextOf,
  type Dense,
  identity,
  inverse,
  learnerOf,
  multiply,
  payoffOf,
  plainReplay,
  plus,
  randomLog,
  thetaOf,
  transpose,
  worst,
} from './helpers.js';

const zeros = (n: number, m: number): Dense => Array.from({ length: n }, () => new Array<number>(m).fill(0));
const chain = (...factors: Dense[]): Dense => factors.reduce(multiply);

/** Algorithm 2, lines 4 to 24. */
class Printed {
  A0: Dense;
  b0: Dense;
  readonly A: Dense[];
  readonly B: Dense[];
  readonly b: Dense[];

  constructor(
    readonly arms: number,
    readonly d: number,
    readonly k: number,
    readonly lambda: number,
  ) {
    this.A0 = identity(k, lambda);
    this.b0 = zeros(k, 1);
    this.A = Array.from({ length: arms }, () => identity(d, lambda));
    this.B = Array.from({ length: arms }, () => zeros(d, k));
    this.b = Array.from({ length: arms }, () => zeros(d, 1));
  }

  beta(): Dense {
    return multiply(inverse(this.A0), this.b0);
  }

  theta(a: number): Dense {
    return multiply(inverse(this.A[a]), plus(this.b[a], multiply(this.B[a], this.beta()), -1));
  }

  score(a: number, x: Dense, z: Dense, alpha: number): number {
    const [A0, A, B] = [inverse(this.A0), inverse(this.A[a]), this.B[a]];
    const [xT, zT, BT] = [x, z, B].map(transpose);
    const s =
      chain(zT, A0, z)[0][0] -
      2 * chain(zT, A0, BT, A, x)[0][0] +
      chain(xT, A, x)[0][0] +
      chain(xT, A, B, A0, BT, A, x)[0][0];
    return multiply(zT, this.beta())[0][0] + multiply(xT, this.theta(a))[0][0] + alpha * Math.sqrt(s);
  }

  update(a: number, x: Dense, z: Dense, r: number): void {
    const before = transpose(multiply(inverse(this.A[a]), this.B[a]));
    this.A0 = plus(this.A0, multiply(before, this.B[a]));
    this.b0 = plus(this.b0, multiply(before, this.b[a]));
    this.A[a] = plus(this.A[a], multiply(x, transpose(x)));
    this.B[a] = plus(this.B[a], multiply(x, transpose(z)));
    this.b[a] = plus(this.b[a], x, r);
    const after = transpose(multiply(inverse(this.A[a]), this.B[a]));
    this.A0 = plus(plus(this.A0, multiply(z, transpose(z))), multiply(after, this.B[a]), -1);
    this.b0 = plus(plus(this.b0, z, r), multiply(after, this.b[a]), -1);
  }
}

function sharedOf(log: EventLog, t: number, a: number, shared: 'product' | 'features'): Dense {
  const features = armFeaturesOf(log, t, a);
  const x = contextOf(log, t);
  return column(shared === 'features' ? features : features.flatMap((f) => x.map((value) => f * value)));
}

// 700 versions are as many rows as events × candidates: nothing is kept per row then.
describe.each([
  { shared: 'features', lambda: 1, contexts: 'real', pools: false, versions: 1 },
  { shared: 'product', lambda: 1, contexts: 'real', pools: true, versions: 1 },
  { shared: 'product', lambda: 0.2, contexts: 'onehot', pools: false, versions: 1 },
  { shared: 'features', lambda: 1, contexts: 'real', pools: true, versions: 3 },
  { shared: 'product', lambda: 0.2, contexts: 'onehot', pools: false, versions: 3 },
  { shared: 'features', lambda: 0.2, contexts: 'onehot', pools: false, versions: 700 },
  { shared: 'product', lambda: 1, contexts: 'real', pools: true, versions: 700 },
] as const)('Algorithm 2: shared $shared, λ = $lambda, $contexts, $versions version(s)', (one) => {
  const { shared, lambda, contexts, pools, versions } = one;
  const [arms, d, armWidth, alpha] = [4, 3, 2, 0.8];
  const log = randomLog({ events: 700, arms, d, armWidth, contexts, pools, versions, seed: 5 });
  const parameters = { alpha, lambda, shared, tieTolerance: 1e-9 } as const;

  it('the same choices, β̂ and θ̂ when fed with everything', () => {
    const learner = learnerOf(linucbHybrid, log, parameters);
    const printed = new Printed(arms, d, shared === 'features' ? armWidth : armWidth * d, lambda);
    let compared = 0;
    for (let t = 0; t < log.events; t++) {
      const candidates = candidatesOf(log, t);
      const x = column(contextOf(log, t));
      if (t < 40 || t % 20 === 0) {
        const pool = [...candidates.arms.subarray(candidates.from, candidates.to)];
        const scores = pool.map((a) => printed.score(a, x, sharedOf(log, t, a, shared), alpha));
        const max = Math.max(...scores);
        const least = max - 1e-9 * Math.max(1, Math.abs(max));
        expect(learner.choose(t, candidates)).toBe(pool[scores.findIndex((score) => score >= least)]);
        compared++;
      }
      learner.update(t, log.arm[t], payoffOf(log, t), 0);
      printed.update(log.arm[t], x, sharedOf(log, t, log.arm[t], shared), payoffOf(log, t));
    }
    expect(compared).toBeGreaterThan(70);
    expect(worst(learner.state().beta as number[], printed.beta().flat())).toBeLessThan(1e-10);
    for (const [a, theta] of thetaOf(learner).entries()) {
      expect(worst(theta, printed.theta(a).flat())).toBeLessThan(1e-10);
    }
  });

  it('replay, with `matches` checked at every event', () => {
    const { T } = plainReplay(learnerOf(linucbHybrid, log, parameters), log);
    expect(T).toBeGreaterThan(100);
  });
});

it('β̂ and θ̂ after 10⁵ updates are those of one ridge regression on all of it', () => {
  const [arms, d, armWidth] = [2, 2, 2];
  const log = randomLog({ events: 512, arms, d, armWidth, seed: 9 });
  const learner = learnerOf(linucbHybrid, log, { shared: 'features' });
  const updates = 100_000;
  for (let n = 0; n < updates; n++) learner.update(n % 512, log.arm[n % 512], payoffOf(log, n % 512), 0);
  // One vector of unknowns (β, θ₀, θ₁), one row (z, x in the arm's block) per event.
  const size = armWidth + arms * d;
  let A = identity(size);
  let b = zeros(size, 1);
  for (let t = 0; t < 512; t++) {
    const a = log.arm[t];
    const row = zeros(size, 1);
    for (const [i, [value]] of sharedOf(log, t, a, 'features').entries()) row[i][0] = value;
    for (const [j, value] of contextOf(log, t).entries()) row[armWidth + a * d + j][0] = value;
    const times = Math.floor(updates / 512) + Number(t < updates % 512);
    A = plus(A, multiply(row, transpose(row)), times);
    b = plus(b, row, times * payoffOf(log, t));
  }
  const exact = multiply(inverse(A), b).flat();
  const got = [...(learner.state().beta as number[]), ...thetaOf(learner).flat()];
  expect(worst(got, exact)).toBeLessThan(1e-9);
});
