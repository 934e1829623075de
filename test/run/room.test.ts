/** Sizes that no machine has are told with their sum, before anything is made of them. */

import { describe, expect, it, vi } from 'vitest';
import { shareArrays, toShared } from '#dist/engine/shared.js';
import { InputError } from '#dist/errors.js';
import { replayKinds } from '#dist/estimate/estimators/replay-totals.js';
import { evaluate } from '#dist/evaluate.js';
import { LogisticFit } from '#dist/learner/linear/logistic.js';
import { ContextPacker } from '#dist/log/build/contexts.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { replay } from '#dist/replay.js';
import { resultJson } from '#dist/report/json.js';
import { checkStatistics } from '#dist/run/memory/statistics-room.js';
import { LONG } from '../long.js';

const events = 100_000;
const arm = Array.from({ length: events }, (_, t) => 'ab'[(t * 7919) % 1009 < 505 ? 0 : 1]);
const log = logFromColumns({
  arm,
  payoff: arm.map((_, t) => Number(t % 3 === 0)),
  context: arm.map((_, t) => [t % 5, 1]),
});
const options = { blocks: events, device: 'cpu', assumeUniform: true } as const;

/** Runs work on a machine that has so many bytes left. */
function withMemory<T>(bytes: number, work: () => T): T {
  const memory = vi.spyOn(process, 'availableMemory').mockReturnValue(bytes);
  try {
    return work();
  } finally {
    memory.mockRestore();
  }
}

describe('sums of policies in blocks', () => {
  it('of evaluate and replay are refused with the sum', async () => {
    const weights = Array.from({ length: 50_000 }, (_, p) => [
      [1, p],
      [2, 3],
    ]);
    await expect(evaluate({ log, policies: [{ family: 'linear', weights }], ...options })).rejects.toThrow(
      /the sums of policies in blocks do not fit an array\n {2}got: {4}50000 policies × 100000 blocks = 5\.00e\+9\n {2}needed: at most 2³²\n {2}try: {4}fewer --blocks \(in code: blocks\)/,
    );
    await expect(replay(log, [{ algorithm: 'ucb1' }], { ...options, repeats: 50_000 })).rejects.toThrow(
      /50000 replicas × 100000 blocks/,
    );
  });

  it('are measured against the memory: matches and each match column', () => {
    const check = (maxSteps: number) => (): void =>
      withMemory(1.9e9, () => checkStatistics('policies', 1000, 1e5, replayKinds({ maxSteps })));
    expect(check(1)).not.toThrow();
    expect(check(65_536)).toThrow(InputError);
    expect(check(65_536)).toThrow(
      '1000 policies × 100000 blocks × 4 numbers × 8 bytes = 3.2 GB\n  needed: at most 1.9 GB, the memory that is free',
    );
  });
});

describe('contexts', () => {
  const pack =
    (rows: number, levels: number): (() => void) =>
    () => {
      const packer = new ContextPacker(
        {
          sources: [{ kind: 'onehot', name: 'user', levels: Array.from({ length: levels }, String) }],
          intercept: false,
        },
        rows,
        'f32',
      );
      for (let t = 0; t < rows; t++) {
        packer.row[0] = t % levels;
        packer.push();
      }
      packer.finish();
    };

  it('that do not fit are refused with the sum, whatever a larger array costs where it is not written', () => {
    // 200,000 rows × 30,000 columns are 24 GB, of which one page a row is written: 0.8 GB.
    const least = pack(1000, 30_000);
    expect(() => withMemory(5e6, least)).not.toThrow();
    expect(() => withMemory(4e6, least)).toThrow(
      /the contexts do not fit the memory\n {2}got: {4}1000 rows × 30000 columns × 4 bytes = 120 MB, 0 rows of which are read\n {2}needed: at most 4 MB for the rest/,
    );
  });

  it('are asked for again as they grow', () => {
    const numbers = Array.from({ length: 1000 }, (_, j) => ({ kind: 'numeric', name: `x${j}` }) as const);
    const packer = new ContextPacker({ sources: numbers, intercept: false }, 100_000, 'f32');
    const fill = (from: number, to: number): void => {
      for (let t = from; t < to; t++) packer.push();
    };
    fill(0, 60_000);
    expect(() => withMemory(1e6, () => fill(60_000, 70_000))).toThrow(
      /100000 rows × 1000 columns .*, \d{5} rows of which/,
    );
  });

  it('of an arm of glm-ucb, too', LONG, () => {
    const fit = new LogisticFit(2048, 1);
    const x = new Float64Array(2048);
    const add = (): void => {
      for (; x[0] < 5000; x[0]++) fit.add(x, 0);
    };
    expect(() => withMemory(1e6, add)).toThrow(
      /distinct contexts of an arm do not fit the memory\n {2}got: {4}\d+ rows × 2048 columns × 8 bytes/,
    );
  });
});

describe('what threads share', () => {
  it('is copied once, and only where it fits', () => {
    const given = { packed: [{ weights: new Float64Array([1, 2]), cells: { of: null }, names: ['a'] }], gamma: 0.1 };
    const shared = shareArrays(given);
    expect(shared).toEqual(given);
    expect(shared.packed[0].weights.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(shareArrays(shared).packed[0].weights).toBe(shared.packed[0].weights);
    const large = new Float64Array(2 ** 23);
    expect(() => withMemory(1e6, () => toShared(large))).toThrow(/copies for threads do not fit the memory/);
  });
});

it('a result longer than a text can be says what to do', () => {
  const long = 'x'.repeat(2 ** 28);
  const items = [long, long, long];
  expect(() => resultJson({ items }, [], 'items', (text) => text)).toThrow(
    /too large for JSON[\s\S]*--format parquet or csv/,
  );
});
