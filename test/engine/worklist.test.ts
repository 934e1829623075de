import { describe, expect, it } from 'vitest';
import { makeWorklist } from '#dist/engine/worklist.js';
import { CASES, type Case } from '../cases/cases.js';
import { columnsOf, summandsOf } from '../statistics.js';

function caseNamed(name: string): Case {
  const found = CASES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no case is called ${name}`);
  return found;
}

describe('choice tables', () => {
  it.each([
    ['13 distinct contexts', 'folded'],
    ['13 distinct contexts × 9 pools', 'folded'],
    ['13 distinct contexts, too many candidates for folded tables', 'gathered'],
    ['L = 257', 'gathered'],
  ])('%s: %s', (name, how) => {
    const { log, plan, compiled } = caseNamed(name).build();
    const summands = summandsOf(log);
    const { entries, gathered, kinds } = makeWorklist(log, plan, compiled, summands, true);
    expect(kinds.map((kind) => kind.name)).toEqual(summands.map((summand) => summand.name));
    expect(gathered === null ? 'folded' : 'gathered').toBe(how);
    // Folded entries have a number of every summand, the others of match columns only.
    expect(entries.columns).toBe(how === 'folded' ? kinds.length : columnsOf(log).length);
  });

  it('are not folded with match columns where they are to be apart', () => {
    const { log, plan, compiled } = caseNamed('13 distinct contexts').build();
    const { entries, gathered } = makeWorklist(log, plan, compiled, summandsOf(log), false);
    expect([entries.count, entries.folded, gathered?.tables.length]).toEqual([log.events, null, 3]);
  });

  const { log, plan, compiled } = caseNamed('L = 257').build();
  const arms = log.arms.ids.length;
  const words = new Uint32Array(log.events * arms);
  const table = { name: 'q', reduce: 'sum', arms, row: null, words } as const;
  it.each([
    ['for other arms', { ...table, arms: arms + 1 }],
    ['of too few rows', { ...table, words: words.subarray(arms) }],
    ['whose rows it does not have', { ...table, row: new Uint32Array(log.events).fill(log.events) }],
    ['without a row for each event', { ...table, row: new Uint32Array(log.events - 1) }],
  ])('%s are refused', (_, wrong) => {
    expect(() => makeWorklist(log, plan, compiled, [wrong], true)).toThrow(
      /choice table q .* does not fit a log of 257 events/,
    );
  });
  it('come after match columns', () => {
    const [column] = columnsOf(log);
    expect(() => makeWorklist(log, plan, compiled, [table, column], true)).toThrow(
      'match columns come before choice tables',
    );
  });
});
