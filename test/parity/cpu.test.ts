import { afterAll, describe, expect, it } from 'vitest';
import { CpuBackend } from '#dist/run/cpu.js';
import { CASES } from '../cases/cases.js';
import { referenceStatistics, statisticsDifference } from '../statistics.js';

// Three threads on purpose, to differ from any default; from the first decision on, so that every case reaches them.
describe.each([1, 3])('CPU engine, %i thread(s), against the definition', (threads) => {
  const backend = new CpuBackend({ threads, threadsFrom: 0 });
  afterAll(() => backend.close());
  it.each(CASES)('$name', async ({ build }) => {
    const { log, plan, batch } = build();
    const got = await backend.evaluate(log, plan, batch);
    expect(statisticsDifference(got, referenceStatistics(log, plan, batch))).toBeNull();
  });
});
