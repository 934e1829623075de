import { afterAll, describe, expect } from 'vitest';
import { CpuBackend } from '#dist/engine/cpu/backend.js';
import { CASES } from '../cases/cases.js';
import { MODEL_SUMMANDS, SUMMANDS, withReference } from '../cases/reference.js';
import { eachCase, LONG } from '../long.js';
import { statisticsDifference } from '../statistics.js';

// Three threads on purpose, to differ from any default; from the first decision on, so that every case reaches them.
describe.each([1, 3])('CPU engine, %i thread(s), against the definition', (threads) => {
  const backend = new CpuBackend({ threads, threadsFrom: 0 });
  afterAll(() => backend.close());
  for (const [i, kind] of [...SUMMANDS, ...MODEL_SUMMANDS].entries()) {
    // Threads share out what one alone does: each is tried with one kind of summands, or two, in every run.
    describe(kind.name, (threads === 3) === (i === 1) && i < 3 ? {} : LONG, () => {
      eachCase(CASES, async (one) => {
        const { log, plan, compiled, summands, needed } = withReference(one, kind);
        expect(statisticsDifference(await backend.evaluate(log, plan, compiled, summands), needed)).toBeNull();
      });
    });
  }
});

describe('CPU engine, events in groups wherever they may be, against the definition', () => {
  const backend = new CpuBackend({ threads: 3, threadsFrom: 0, groups: true });
  afterAll(() => backend.close());
  eachCase(CASES, async (one) => {
    const { log, plan, compiled, summands, needed } = withReference(one, SUMMANDS[0]);
    expect(statisticsDifference(await backend.evaluate(log, plan, compiled, summands), needed)).toBeNull();
  });
});
