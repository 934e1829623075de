/** What choices at cells are worth: which logs have lists of it, and what lies in these. Their sums are those of test/parity/cpu.test.ts. */

import { describe, expect, it } from 'vitest';
import { CpuBackend } from '#dist/engine/cpu/backend.js';
import { choiceLists } from '#dist/engine/cpu/choice-lists.js';
import { makeWorklist } from '#dist/engine/worklist.js';
import { type BlockPlan, runBlocks } from '#dist/estimate/blocks/blocks.js';
import type { Summand } from '#dist/estimate/sums/summands.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { type CompiledPolicies, emptyChoices, NO_ARM_16 } from '#dist/policy/compiled.js';
import { CASES } from '../../cases/cases.js';
import { columnsOf, summandsOf, sumsOf } from '../../statistics.js';

function listsOf(log: EventLog, plan: BlockPlan, compiled: CompiledPolicies, summands: readonly Summand[]) {
  return choiceLists(makeWorklist(log, plan, compiled, summands, false), log.pools);
}

describe('lists of what choices are worth', () => {
  it.each([
    ['13 distinct contexts', columnsOf, 1],
    ['13 distinct contexts × 9 pools', columnsOf, 1],
    // Tables whose rows differ have lists of their own.
    ['13 distinct contexts', summandsOf, 4],
    ['13 distinct contexts', (log: EventLog) => sumsOf(log, 4), 2],
    ['13 distinct contexts, 64 blocks of few events', columnsOf, 1],
    ['13 distinct contexts, 64 blocks of few events', summandsOf, null],
    ['13 distinct contexts, too many candidates for folded tables', columnsOf, null],
    ['L = 257', columnsOf, null],
  ])('%s: as many as are worth it', (name, sums, count) => {
    const one = CASES.find((one) => one.name === name);
    if (one === undefined) throw new Error(`no case is called ${name}`);
    const { log, plan, compiled } = one.build();
    expect(listsOf(log, plan, compiled, sums(log))?.length ?? null).toBe(count);
  });

  // Two contexts; arms 0 and 1 are candidates of pool 0, arms 1 and 2 of pool 1. Two blocks of four events.
  const log = logFromColumns({
    ...{ arms: 3, armIndex: [0, 1, 0, 1, 2, 2, 1, 0], payoff: [1, 0, 1, 0, 1, 1, 0, 1] },
    candidates: {
      pools: [
        [0, 1],
        [1, 2],
      ],
      pool: [0, 0, 0, 1, 1, 1, 1, 0],
    },
  });
  const kinds = { count: 2, of: Uint32Array.of(0, 0, 1, 0, 0, 1, 1, 1), event: null };
  const compiled = {
    ...{ kind: 'matrix', policies: 1, names: ['p'], warnings: [] },
    ...{ cells: { count: 2, of: kinds.of }, choices: Uint16Array.of(0, 1) },
  } as unknown as CompiledPolicies;
  const words = Uint32Array.from({ length: 24 }, (_, i) => 2 ** i);
  const summands: Summand[] = [
    { name: 'numbers', reduce: 'sum', words: Uint32Array.of(1, 2, 4, 8, 16, 32, 64, 128) },
    { name: 'most', reduce: 'max', words: Uint32Array.of(5, 9, 3, 7, 6, 1, 8, 2) },
    { name: 'table', reduce: 'sum', arms: 3, row: null, words },
    { name: 'most of a table', reduce: 'max', arms: 3, row: null, words },
  ];

  it('have for each cell, choice and block what was logged, and tables for all candidates', () => {
    const [matches, tables] = listsOf(log, runBlocks(8, 2), compiled, summands) ?? [];
    expect([matches.columns, matches.summed]).toEqual([[-1, 0, 1], 2]);
    // Cell 0: arm 0 at event 0; arm 1 at events 1 and 3, both in block 0; arm 2 at 4. Cell 1: arm 0 at 2 and 7, 1 at 6, 2 at 5.
    expect([...matches.starts]).toEqual([0, 1, 2, 3, 5, 6, 7]);
    expect([...matches.block]).toEqual([0, 0, 1, 0, 1, 1, 1]);
    const numbers = [
      [1, 1, 5],
      [2, 10, 9],
      [1, 16, 6],
      [1, 4, 3],
      [1, 128, 2],
      [1, 64, 8],
      [1, 32, 1],
    ];
    expect([...matches.numbers]).toEqual(numbers.flat());
    // A sum that has no pair is beside a column of nothing.
    expect([tables.columns, tables.summed]).toEqual([[2, null, 3], 2]);
    const bits = (...arms: [event: number, arm: number][]): number[] => {
      const all = arms.map(([event, arm]) => 2 ** (event * 3 + arm));
      return [all.reduce((sum, word) => sum + word), 0, Math.max(...all)];
    };
    expect([...tables.starts]).toEqual([0, 1, 3, 5, 7, 9, 10]);
    expect([...tables.block]).toEqual([0, 0, 1, 0, 1, 0, 1, 0, 1, 1]);
    expect([...tables.numbers]).toEqual(
      [
        bits([0, 0], [1, 0]),
        bits([0, 1], [1, 1], [3, 1]),
        bits([4, 1]),
        bits([3, 2]),
        bits([4, 2]),
        bits([2, 0]),
        bits([7, 0]),
        bits([2, 1]),
        bits([5, 1], [6, 1], [7, 1]),
        bits([5, 2], [6, 2]),
      ].flat(),
    );
  });

  it('have nothing for no choice, however many lists there are', async () => {
    const [events, arms, cells] = [10_000, 20, 3300];
    const of = Uint32Array.from({ length: events }, (_, t) => t % cells);
    const many = logFromColumns({
      ...{
        arms,
        armIndex: Array.from(of, (_, t) => (t + Math.floor(t / cells)) % arms),
        payoff: Array.from(of, (_, t) => t % 2),
      },
    });
    const choices = emptyChoices(2, cells, arms);
    choices.fill(0, cells);
    const two = { ...compiled, policies: 2, names: ['none', 'first'], cells: { count: cells, of }, choices };
    // More lists than the number that stands for no choice.
    expect(cells * arms).toBeGreaterThan(NO_ARM_16);
    const plan = runBlocks(events, 1);
    expect(listsOf(many, plan, two as CompiledPolicies, columnsOf(many))).toHaveLength(1);
    const engine = new CpuBackend({ threads: 1 });
    const { matches } = await engine.evaluate(many, plan, two as CompiledPolicies, columnsOf(many));
    await engine.close();
    expect([...matches]).toEqual([0, events / arms]);
  });
});
