/** Thousands of policies: the CPU engine against the definition. At full size (4,096 × 1,000,000): test/large/million.mjs. */
import { expect, it } from 'vitest';
import { CpuBackend } from '#dist/engine/cpu/backend.js';
import { LONG } from '../long.js';
import { columnsOf, referenceStatistics, statisticsDifference } from '../statistics.js';
import { manyPolicies } from './many-policies.js';

it('4,096 policies × 20,000 events on the CPU; every 64th by definition', LONG, async () => {
  const { log, plan, all, sample, sampled } = manyPolicies();
  const cpu = new CpuBackend({ threads: 2 });
  const stats = await cpu.evaluate(log, plan, all, columnsOf(log));
  await cpu.close();
  const rows = (column: Float64Array): Float64Array =>
    Float64Array.from(sample.flatMap((p) => [...column.subarray(p * plan.blocks, (p + 1) * plan.blocks)]));
  const got = {
    ...stats,
    policies: sample.length,
    matches: rows(stats.matches),
    columns: stats.columns.map(rows),
  };
  expect(statisticsDifference(got, referenceStatistics(log, plan, sampled))).toBeNull();
});
