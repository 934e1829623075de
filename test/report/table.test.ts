import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toTable } from '#dist/report/table.js';
import { displayWidth } from '#dist/report/text.js';
import { policy, sample } from './sample.js';

const lines = (text: string): string[] => text.split('\n');
const fits = (text: string): void => {
  for (const line of lines(text)) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
};

describe('ranking table', () => {
  test('states the log, the estimator, the interval and the engine above the ranking', () => {
    const text = toTable(sample());
    for (const part of [
      'men.csv (obd), where position = 1',
      'Algorithm 2',
      'wilson, 95 %',
      'SwiftShader',
      '12 settled on',
    ]) {
      expect(text.replace(/\n */g, ' ')).toContain(part);
    }
    fits(text);
  });

  test('aligns columns, and shows no estimate as none', () => {
    const text = lines(toTable(sample()));
    const head = text.findIndex((line) => line.startsWith('rank'));
    expect(text.slice(head, head + 6)).toEqual([
      'rank  policy           index  matches  payoff   value     95 % interval',
      '────  ───────────────  ─────  ───────  ──────  ──────  ────────────────',
      '   1  weights.npy[17]     17      474      29  0.0612  0.0431 to 0.0861',
      '   2  weights.npy[3]       3      500      25  0.0500  0.0341 to 0.0728',
      '   –  (the log)                10,000          0.0381  0.0344 to 0.0420',
      '   –  never matches        4        0       0    none            0 to 1',
    ]);
  });

  test('says that the best interval is not corrected for selection, and how many policies are not shown', () => {
    const text = toTable(sample({ omitted: 1997 })).replaceAll('\n', ' ');
    expect(text).toContain('best of 2,000 is not corrected for having been selected');
    expect(text).toContain('1,997 of 2,000 policies not shown');
    expect(toTable(sample({ policies: [policy({ index: 0 })] }))).not.toContain('corrected');
  });

  test('Algorithm 1 shows what was consumed and marks logs that ended early', () => {
    const text = toTable(
      sample({
        estimator: { name: 'replay', interval: 'wilson', algorithm: 1, validEvents: 500 },
        policies: [
          policy({ index: 0, consumed: 9_876, complete: true }),
          policy({ index: 1, consumed: 10_000, complete: false }),
        ],
      }),
    );
    expect(text).toContain('10,000*');
    expect(text).toContain('*: the log ended first');
    fits(text);
  });

  test('warnings, dropped rows, a fallback and an assumed uniformity are all said', () => {
    const base = sample();
    const text = toTable({
      ...base,
      warnings: ['something to know', 'the device was lost'],
      log: { ...base.log, droppedRows: [{ kind: 'payoff is not a number', count: 3, first: 'men.csv, row 12' }] },
      uniformity: {
        basis: 'assumed',
        pValue: 1e-9,
        assumed: true,
        detail: 'assumed by --assume-uniform',
        factors: [],
        matches: null,
      },
    }).replace(/\n */g, ' ');
    for (const part of [
      'something to know',
      '3 rows: payoff is not a number',
      'the device was lost',
      '--assume-uniform',
    ]) {
      expect(text).toContain(part);
    }
  });

  test('what a reader forgave or left out is not called dropped', () => {
    const base = sample();
    const first = 'log.txt, row 0 (line 1)';
    const droppedRows = [
      { kind: 'line ends in CR LF', count: 1200, first, lost: 'nothing' as const },
      { kind: 'article has no features', count: 1, first, lost: 'candidate' as const },
      { kind: 'the compressed file is damaged', count: 2, first, lost: 'stretch' as const },
    ];
    const text = toTable({ ...base, log: { ...base.log, droppedRows } }).replace(/\n */g, ' ');
    expect(text).toMatch(/forgiven +1,200 times: line ends in CR LF/);
    expect(text).toMatch(/left out +1 candidate: article has no features/);
    expect(text).toMatch(/not read +2 stretches: the compressed file is damaged/);
    expect(text).not.toContain('dropped');
  });

  test('an empty policy set is said, not shown as an empty table', () => {
    expect(toTable(sample({ policies: [] }))).toContain('nothing was evaluated');
  });

  test('no line is wider than 80 columns, whatever the names and numbers', () => {
    const anyPolicy = fc.record({
      index: fc.integer({ min: 0, max: 1e6 }),
      name: fc.string({ unit: 'grapheme', maxLength: 120 }),
      matches: fc.integer({ min: 0, max: 1e9 }),
      payoff: fc.double({ min: 0, max: 1e10, noNaN: true }),
      value: fc.option(fc.double({ min: -1, max: 1e3, noNaN: true })),
      consumed: fc.integer({ min: 0, max: 1e9 }),
    });
    fc.assert(
      fc.property(fc.array(anyPolicy, { maxLength: 8 }), fc.constantFrom(1, 2), (rows, algorithm) => {
        const policies = rows.map((row) => policy({ ...row, complete: false, interval: [0, 1000] }));
        const estimator = { name: 'replay', interval: 'wilson', algorithm, validEvents: 10 } as const;
        fits(toTable(sample({ policies, estimator: { ...estimator, algorithm: algorithm as 1 | 2 } })));
      }),
      { numRuns: 200 },
    );
  });
});
