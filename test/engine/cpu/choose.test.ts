/** Scored policies on logs whose events share cells: what f32 proves and what it leaves in doubt are the reference's choices. */

import { describe, expect, it } from 'vitest';
import { evaluate } from '#dist/evaluate.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import type { PolicyInput } from '#dist/policy/families.js';
import { WorldDraws } from '#dist/simulate/draws.js';

interface Case {
  cells: number;
  K: number;
  dx: number;
  dz: number;
  /** Candidate sets; 0: all arms. */
  pools: number;
  /** Values of contexts, features and weights. */
  value: (unit: number) => number;
}

const six = (unit: number): number => unit - 0.5;
const CASES: Record<string, Case> = {
  'too few to screen': { cells: 63, K: 5, dx: 3, dz: 2, pools: 0, value: six },
  'a quad and one more': { cells: 65, K: 5, dx: 3, dz: 2, pools: 0, value: six },
  'K = 33, several pools': { cells: 300, K: 33, dx: 4, dz: 3, pools: 3, value: six },
  'one arm': { cells: 70, K: 1, dx: 2, dz: 1, pools: 0, value: six },
  'more than a chunk': { cells: 9_000, K: 4, dx: 2, dz: 2, pools: 2, value: six },
  'pools too small to group': { cells: 120, K: 12, dx: 2, dz: 2, pools: 90, value: six },
  'ties everywhere': { cells: 200, K: 9, dx: 3, dz: 2, pools: 0, value: (unit) => Math.floor(unit * 3) - 1 },
  'all zero': { cells: 100, K: 3, dx: 2, dz: 2, pools: 0, value: () => 0 },
  'differences that f32 does not see': {
    cells: 100,
    K: 6,
    dx: 2,
    dz: 2,
    pools: 0,
    value: (unit) => 1 + unit * 2 ** -30,
  },
  'beyond the largest norm': { cells: 80, K: 4, dx: 2, dz: 2, pools: 0, value: (unit) => six(unit) * 2 ** 62 },
};

describe('choices at cells that many events share', () => {
  it.each(Object.entries(CASES))('%s', async (_, { cells, K, dx, dz, pools, value }) => {
    const draws = new WorldDraws(cells + K);
    const number = (i: number, stream: number): number => value(draws.unit(i, stream));
    const rows = (count: number, length: number, stream: number): number[][] =>
      Array.from({ length: count }, (_, i) => Array.from({ length }, (_, j) => number(i * length + j, stream)));
    const contexts = rows(cells, dx, 1);
    const arms = Array.from({ length: K }, (_, a) => `a${a}`);
    const sets = Array.from({ length: pools }, (_, s) =>
      arms.filter((_, a) => a === s % K || draws.below(2, s * K + a, 2) === 1),
    );
    const setOf = (cell: number): string[] => (pools === 0 ? arms : sets[cell % pools]);
    const events = Array.from({ length: 3 * cells }, (_, t) => (t < cells ? t : draws.below(cells, t, 3)));
    const log = logFromColumns({
      arm: events.map((cell, t) => setOf(cell)[draws.below(setOf(cell).length, t, 4)]),
      payoff: events.map((_, t) => draws.below(3, t, 5)),
      context: events.map((cell) => contexts[cell]),
      candidates: pools === 0 ? undefined : events.map(setOf),
      arms,
      armFeatures: rows(K, dz, 6),
      payoffRange: [0, 2],
    });
    const P = 7;
    const weights = (length: number, stream: number): number[][] => rows(P, length, stream);
    const linear = Array.from({ length: P }, (_, p) => rows(K, dx, 20 + p));
    const policies: PolicyInput[] = [
      { family: 'linear', weights: linear },
      { family: 'joint-linear', features: 'arm', weights: weights(dz, 7) },
      { family: 'joint-linear', features: 'product', weights: weights(dx * dz, 8) },
      { family: 'joint-linear', features: 'both', weights: weights(dx + dz + dx * dz, 9) },
    ];
    const result = await evaluate({ log, policies, device: 'cpu', threads: 1, assumeUniform: true, verify: 4 * P });
    expect(result.engine.verified).toBe(4 * P);
    expect(result.policies.some(({ matches }) => matches > 0)).toBe(true);
  });
});
