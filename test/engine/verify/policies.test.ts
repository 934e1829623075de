import { describe, expect, it } from 'vitest';
import { CpuBackend } from '#dist/engine/cpu/backend.js';
import { verify } from '#dist/engine/verify/policies.js';
import { EngineError } from '#dist/errors.js';
import { runBlocks } from '#dist/estimate/blocks/blocks.js';
import { makeLog, randomLinear } from '../../cases/cases.js';
import { columnsOf } from '../../statistics.js';

const log = makeLog({
  events: 2000,
  arms: 5,
  dimension: 3,
  payoff: (draw) => Math.floor(draw() * 5),
  payoffRange: [0, 5],
});
const plan = runBlocks(log.events, 4);

async function evaluated() {
  const first = randomLinear(7, log, 1);
  const second = randomLinear(3, log, 2);
  const cpu = new CpuBackend({ threads: 1 });
  return [
    { compiled: first, stats: await cpu.evaluate(log, plan, first, columnsOf(log)) },
    { compiled: second, stats: await cpu.evaluate(log, plan, second, columnsOf(log)) },
  ];
}

describe('verify', () => {
  it('passes what is right and says how many it compared', async () => {
    expect(await verify(log, plan, columnsOf(log), await evaluated(), 4)).toBe(4);
    expect(await verify(log, plan, columnsOf(log), await evaluated(), 1)).toBe(1);
    expect(await verify(log, plan, columnsOf(log), await evaluated(), 99)).toBe(10);
  });

  it.each(['matches', 'payoff', 'payoff²', 'words', 'largest'])(
    'fails loudly when %s is off by one, in the last policy and block',
    async (field) => {
      const results = await evaluated();
      const { stats } = results[1];
      const column = [stats.matches, ...stats.columns][
        ['matches', ...stats.kinds.map(({ name }) => name)].indexOf(field)
      ];
      column[column.length - 1]++;
      const run = verify(log, plan, columnsOf(log), results, 2);
      await expect(run).rejects.toThrow(EngineError);
      await expect(run).rejects.toThrow(
        new RegExp(`policy 9 \\(linear 2\\), block 3, ${field}\\n  got: .*\\n  needed: `),
      );
    },
  );

  it('spreads over the set: ends included', async () => {
    const results = await evaluated();
    results[0].stats.matches[0]++;
    await expect(verify(log, plan, columnsOf(log), results, 2)).rejects.toThrow(/policy 0/);
  });
});
