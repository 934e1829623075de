import { describe, expect, it } from 'vitest';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { emptyChoices } from '#dist/policy/compiled.js';
import { compilePolicySet, parsePolicySet } from '#dist/policy/policy-set.js';
import { LONG } from '../long.js';

describe('choices that do not fit the memory', () => {
  it('are refused with the sum before they are made', async () => {
    expect(() => emptyChoices(1e7, 1e9, 3)).toThrow(
      /the choices of the policies do not fit the memory\n {2}got: {4}10000000 policies × 1000000000 cells .* × 2 bytes = 20000000 GB\n {2}needed: at most .* the memory that is free/,
    );
    expect(() => emptyChoices(1e7, 1e9, 70_000)).toThrow(/× 4 bytes = 40000000 GB/);
    expect(emptyChoices(2, 3, 3)).toHaveLength(6);
    expect(emptyChoices(0, 3, 3)).toHaveLength(0);
  });

  it('of tables, too', LONG, async () => {
    const events = 200_000;
    const users = Array.from({ length: events }, (_, i) => `u${i}`);
    const log = logFromColumns({
      arm: users.map(() => 'a'),
      payoff: new Float64Array(events),
      keys: { user: users },
    });
    const one = { choices: { u1: 'a' } };
    const set = parsePolicySet([{ family: 'table', keys: ['user'], tables: Array.from({ length: 3e6 }, () => one) }]);
    await expect(compilePolicySet(set, log)).rejects.toThrow(/3000000 policies × 200000 cells .* = 1200 GB/);
  });
});
