/** LinRel against the paper's formulas with a second eigen-solver (Jacobi's), and by hand. */
import { describe, expect, it, test } from 'vitest';
import { linrel } from '#dist/learner/linear/linrel.js';
import { linrel as linrelEntry } from '#dist/learner/set/entries.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { replay } from '#dist/replay.js';
import {
  candidatesOf,
  contextOf,
  type Dense,
  identity,
  learnerOf,
  payoffOf,
  plainReplay,
  randomLog,
} from './helpers.js';

/** Eigenvalues, and eigenvectors as rows, by cyclic Jacobi rotations. */
function jacobi(symmetric: Dense): { values: number[]; vectors: Dense } {
  const a = symmetric.map((row) => [...row]);
  const n = a.length;
  const vectors = identity(n);
  for (let sweep = 0; sweep < 60; sweep++) {
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        if (a[p][q] === 0) continue;
        const angle = 0.5 * Math.atan2(2 * a[p][q], a[q][q] - a[p][p]);
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        for (let i = 0; i < n; i++) [a[i][p], a[i][q]] = [c * a[i][p] - s * a[i][q], s * a[i][p] + c * a[i][q]];
        for (let i = 0; i < n; i++) [a[p][i], a[q][i]] = [c * a[p][i] - s * a[q][i], s * a[p][i] + c * a[q][i]];
        for (let i = 0; i < n; i++) {
          [vectors[p][i], vectors[q][i]] = [
            c * vectors[p][i] - s * vectors[q][i],
            s * vectors[p][i] + c * vectors[q][i],
          ];
        }
      }
    }
  }
  return { values: a.map((row, i) => row[i]), vectors };
}

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, j) => sum + value * b[j], 0);

/** ucb of one arm by the paper's lines: Z, x(t), U, Λ, ũ, ṽ, and a as a vector over trials. */
function ucb(Z: Dense, payoffs: number[], z: number[], factor: number): number {
  const { values, vectors } = jacobi(
    z.map((_, i) => z.map((_, j) => Z.reduce((sum, column) => sum + column[i] * column[j], 0))),
  );
  const rotated = vectors.map((u) => dot(u, z));
  const large = values.map((value) => value >= 1 - 1e-9);
  const a = Z.map((column) =>
    vectors.reduce((sum, u, j) => (large[j] ? sum + (rotated[j] / values[j]) * dot(u, column) : sum), 0),
  );
  return dot(a, payoffs) + Math.hypot(...a) * factor + Math.hypot(...rotated.filter((_, j) => !large[j]));
}

it.each(['real', 'onehot'] as const)('choices follow the paper: %s contexts', (contexts) => {
  const [arms, d] = [3, 4];
  const log = randomLog({ events: 240, arms, d, contexts, seed: 17 });
  const learner = learnerOf(linrel, log, { delta: 0.1, horizon: 50, tieTolerance: 1e-9 });
  const factor = Math.sqrt(Math.log((2 * 50 * arms) / 0.1));
  const seen = Array.from({ length: arms }, () => ({ Z: [] as Dense, payoffs: [] as number[] }));
  for (let t = 0; t < log.events; t++) {
    const x = contextOf(log, t);
    const scores = seen.map(({ Z, payoffs }) => ucb(Z, payoffs, x, factor));
    const max = Math.max(...scores);
    const least = max - 1e-9 * Math.max(1, Math.abs(max));
    expect(learner.choose(t, candidatesOf(log, t))).toBe(scores.findIndex((score) => score >= least));
    learner.update(t, log.arm[t], payoffOf(log, t), 0);
    seen[log.arm[t]].Z.push(x);
    seen[log.arm[t]].payoffs.push(payoffOf(log, t));
  }
});

it('by hand: directions never seen are as wide as they are long', () => {
  const log = logFromColumns({
    armIndex: [0, 0, 1, 0],
    arms: 2,
    payoff: [1, 0, 0, 0],
    context: [
      [1, 0],
      [0, 1],
      [1, 0],
      [1, 0],
    ],
  });
  // horizon 1, δ = 4/e⁴: factor √(ln(4/δ)) = 2. After event 0, arm 0 at (1, 0): mean 1, ‖a‖ = 1: 1 + 2; at (0, 1): 0 + ‖ṽ‖ = 1.
  const learner = learnerOf(linrel, log, { horizon: 1, delta: 4 / Math.exp(4) });
  const scores = learner as unknown as { prepare(event: number): void; score(arm: number): number };
  learner.update(0, 0, 1, 1);
  scores.prepare(3);
  expect([scores.score(0), scores.score(1)].map((score) => Math.round(score * 1e12) / 1e12)).toEqual([3, 1]);
  scores.prepare(1);
  expect([scores.score(0), scores.score(1)].map((score) => Math.round(score * 1e12) / 1e12)).toEqual([1, 1]);
});

it('replays, with `matches` checked at every event', () => {
  const log = randomLog({ events: 1500, arms: 4, d: 3, pools: true });
  expect(plainReplay(learnerOf(linrel, log), log).T).toBeGreaterThan(200);
});

describe('eigenvalues that lost their digits', () => {
  const price = (scale: number) => {
    const t = Array.from({ length: 400 }, (_, i) => i);
    return logFromColumns({
      arm: t.map((i) => ['a', 'b'][i % 2]),
      payoff: t.map((i) => Number(i % 3 === 0)),
      context: t.map((i) => [1, (scale * (i % 7)) / 7, (100 * scale * (i % 7)) / 7]),
    });
  };
  const warned = async (scale: number) =>
    (await replay(price(scale), [linrelEntry()], { device: 'cpu', threads: 1, assumeUniform: true })).warnings.filter(
      (text) => text.startsWith('linrel'),
    );

  test('are told of with what to do', async () => {
    expect(await warned(1e6)).toEqual([
      expect.stringMatching(/not to be relied on; bring context columns to sizes of at most 1/),
    ]);
  });

  test('and nothing is where they keep them', async () => {
    expect(await warned(1e4)).toEqual([]);
    expect(await warned(0.01)).toEqual([]);
  });
});
