import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { streamOf } from '#dist/log/stream-of.js';
import { replay } from '#dist/replay.js';
import { ADAPTER, manyKernels, testGpu } from '../adapter.js';
import { eachCase, LONG } from '../long.js';
import { bare, EVERY, everything, expectSame, FED, interrupted, log, resumable } from './replay-streams.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-replay-'));

/** Kernels are compiled for every set of learners, which takes most of the time. */
const TIMEOUT = 400_000;
const gpu = testGpu();
const FEW = [{ algorithm: 'emp' }, { algorithm: 'linucb' }, { algorithm: 'exp3' }] as const;
const LEARNERS = manyKernels(EVERY, FEW);
const LEARNERS_FED = manyKernels(FED, FEW.slice(0, 2));

describe(`every kernel on the GPU (${ADAPTER})`, () => {
  it.each([
    ['at once', {}],
    ['with a subsample and Algorithm 1', { subsample: 0.7, validEvents: 30, blocks: { users: 7 } }],
    ['with updates every 50 events', { updateEvery: 50 }],
  ] as const)('and learners without one beside it, %s', LONG, async (_, options) => {
    const whole = await expectSame(log, LEARNERS, { ...everything, ...gpu(), ...options }, [101]);
    expect(whole.engine.verified?.passed).toBe(true);
  });

  it('learning from all', LONG, async () => {
    await expectSame(
      log,
      LEARNERS_FED,
      { ...everything, ...gpu(), learnFrom: 'all', updateEvery: { period: 3_600_000 } },
      [101],
    );
  });

  it(
    'in batches of a window and two',
    async () => {
      await expectSame(log, FEW, { ...everything, ...gpu() }, [64, 33]);
    },
    TIMEOUT,
  );
});

describe('a replay that is interrupted', () => {
  eachCase(
    [14, 20].map((reads) => ({
      name: `ends with the result of one that is not, after ${reads} reads (GPU)`,
      long: reads > 14,
      reads,
    })),
    async ({ reads }) => {
      const resume = join(folder, `gpu-${reads}`);
      const learners = [
        ...(reads > 14 ? manyKernels(EVERY.slice(0, 3), []) : []),
        { algorithm: 'linucb' as const },
        { algorithm: 'exp3' as const },
      ];
      await interrupted({ ...gpu(), resume }, learners, reads);
      if (reads === 14) {
        const other = replay(streamOf(log), learners, { ...resumable, device: 'cpu', stretchEvents: 50, resume });
        await expect(other).rejects.toThrow(/another kind of engine[\s\S]*--device gpu/);
      }
      const resumed = await replay(streamOf(log), learners, { ...resumable, ...gpu(), stretchEvents: 50, resume });
      expect(bare(resumed)).toEqual(bare(await replay(log, learners, { ...resumable, ...gpu() })));
    },
    TIMEOUT,
  );
});
