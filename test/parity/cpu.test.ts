import { afterAll, describe, expect, it } from 'vitest';
import { CpuBackend } from '#dist/engine/cpu/backend.js';
import { CASES } from '../cases/cases.js';
import { columnsOf, referenceStatistics, statisticsDifference, summandsOf } from '../statistics.js';

// Three threads on purpose, to differ from any default; from the first decision on, so that every case reaches them.
describe.each([1, 3])('CPU engine, %i thread(s), against the definition', (threads) => {
  const backend = new CpuBackend({ threads, threadsFrom: 0 });
  afterAll(() => backend.close());
  describe.each([
    { name: 'match columns', of: columnsOf },
    { name: 'match columns and choice tables', of: summandsOf },
  ])('$name', ({ of }) => {
    it.each(CASES)('$name', async ({ build }) => {
      const { log, plan, batch } = build();
      const summands = of(log);
      const got = await backend.evaluate(log, plan, batch, summands);
      expect(statisticsDifference(got, referenceStatistics(log, plan, batch, summands))).toBeNull();
    });
  });
});
