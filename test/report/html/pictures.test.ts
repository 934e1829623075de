/** The numbers in every picture are those of the result: read back from the marks of the SVG. */

import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import { evaluationReport, type Report, replayReport } from '#dist/report/html/model.js';
import { pictureFiles } from '#dist/report/html/pictures/files.js';
import { pictures } from '#dist/report/html/pictures/index.js';
import { FILE, WIDTHS } from '#dist/report/html/pictures/picture.js';
import type { ReplayResult } from '#dist/report/replay-result.js';
import type { EvaluationResult, PolicyResult } from '#dist/report/result.js';
import { replaySample } from '../replay-sample.js';
import { evaluation, policies } from './samples.js';

/** A mark's parts as values: what an attribute of each comes to on an axis. */
function marks(report: Report, name: string, width: number = WIDTHS.wide) {
  const picture = pictures(report).find((one) => one.name === name);
  if (picture === undefined) throw new Error(`no picture ${name}`);
  const { document } = parseHTML(picture.draw(width, FILE));
  const svg = document.querySelector('svg') as unknown as globalThis.SVGSVGElement;
  const scale = (axis: 'x' | 'y'): number[] => JSON.parse(svg.getAttribute(`data-${axis}`) ?? '[]') as number[];
  const at = (axis: 'x' | 'y', pixels: number): number => {
    const [from, to, start, end] = scale(axis);
    return from + ((pixels - start) / (end - start)) * (to - from);
  };
  return {
    picture,
    of(mark: string, attribute: string): [index: number, value: number][] {
      const parts = [...svg.querySelectorAll(`[data-mark="${mark}"] > *`)];
      return parts.map((part) => [
        Number(part.getAttribute('data-index') ?? -1),
        at(/x/.test(attribute) ? 'x' : 'y', Number(part.getAttribute(attribute))),
      ]);
    },
    path(mark: string): [x: number, y: number][] {
      const d = svg.querySelector(`[data-mark="${mark}"] path`)?.getAttribute('d') ?? '';
      return d
        .slice(1)
        .split(/[LM]/)
        .map((point) => point.replace('Z', '').split(',').map(Number))
        .map(([x, y]) => [at('x', x), at('y', y)]);
    },
  };
}

/** Paths are written to a thousandth of a pixel, so that numbers of events come back to a tenth. */
const ON_PATH = [1, 4] as const;

function expectNear(
  got: readonly (readonly number[])[],
  wanted: readonly (readonly (number | undefined)[])[],
  digits: readonly [number, number] = [6, 6],
): void {
  const rounded = (rows: readonly (readonly (number | undefined)[])[]) =>
    rows.map((row) => row.map((value, i) => Number((value ?? Number.NaN).toFixed(digits[i]))));
  expect(rounded(got)).toEqual(rounded(wanted));
}

const blocks = (i: number): PolicyResult['blocks'] => ({
  matches: [200 + i, 100, 300, 400, 250, 150, 350, 500],
  payoff: [10 + i, 5, 20, 31, 9, 8, 21, 33],
  payoffSquared: [10 + i, 5, 20, 31, 9, 8, 21, 33],
});

describe.each([WIDTHS.wide, WIDTHS.narrow])('of an evaluation, %d pixels wide', (width) => {
  const result = evaluation(30, { blocks: { count: 8, kind: 'run' } });
  const report = evaluationReport(result);
  const shown = result.policies.slice(0, 20);

  test('forest', () => {
    const { of } = marks(report, 'forest', width);
    expectNear(
      of('value', 'cx'),
      shown.map(({ index, value }) => [index, value ?? 0]),
    );
    expectNear(
      of('interval', 'x1'),
      shown.map(({ index, interval }) => [index, interval[0]]),
    );
    expectNear(
      of('interval', 'x2'),
      shown.map(({ index, interval }) => [index, interval[1]]),
    );
    expectNear(
      of('band', 'x1'),
      shown.map(({ index, band }) => [index, band?.[0]]),
    );
    expectNear(
      of('band', 'x2'),
      shown.map(({ index, band }) => [index, band?.[1]]),
    );
    expectNear(of('log', 'x1'), [[-1, result.logged.value ?? 0]]);
    expect(of('may be best', 'x').map(([index]) => index)).toEqual([0, 1, 2, 3]);
  });

  test('the baseline among the first, or behind them', () => {
    const base = result.policies[25];
    const selection = result.selection && {
      ...result.selection,
      baseline: { name: base.name, index: base.index, value: base.value ?? 0, criticalValue: 3, margin: 0 },
    };
    const { of, picture } = marks(evaluationReport({ ...result, selection }), 'forest', width);
    expectNear(
      of('value', 'cx'),
      [...shown, base].map(({ index, value }) => [index, value ?? 0]),
    );
    expectNear(of('baseline', 'x1'), [[-1, base.value ?? 0]]);
    expect(picture.title).toBe('The first 20 policies and the baseline, and what is known of each');
  });

  test('winner', () => {
    const { of } = marks(report, 'winner', width);
    const found = result.selection?.winner;
    const [{ interval }] = result.policies;
    expectNear(of('value', 'cx'), [
      [-1, found?.uncorrected],
      [-1, found?.corrected ?? 0],
    ]);
    expectNear(of('interval', 'x1'), [
      [-1, interval[0]],
      [-1, found?.interval[0]],
    ]);
    expectNear(of('interval', 'x2'), [
      [-1, interval[1]],
      [-1, found?.interval[1]],
    ]);
    expectNear(of('lower', 'x1'), [[-1, found?.lower]]);
  });

  test('distribution and matches count every policy once', () => {
    for (const [name, value] of [
      ['distribution', (p: PolicyResult) => p.value ?? 0],
      ['matches', (p: PolicyResult) => p.matches],
    ] as const) {
      const { of, picture } = marks(report, name, width);
      const heights = of('count', 'height');
      const tops = of('count', 'y');
      expect(Math.round(tops.reduce((sum, [, count]) => sum + count, 0))).toBe(30);
      expect(heights.length).toBeLessThanOrEqual(40);
      expectNear(of('best', 'x1'), [[-1, value(result.policies[0])]]);
      expect(picture.finding).toContain('30 policies');
    }
  });
});

test('over time: payoff per match of each stretch, and up to it, of policies and of the log', () => {
  const rows = policies(3).map((row, i) => ({ ...row, matches: 2250 + i, blocks: blocks(i) }));
  const events = [1000, 1000, 1000, 1500, 1000, 1000, 1000, 2500];
  const logged = [40, 41, 39, 60, 44, 38, 40, 96];
  const report = evaluationReport(evaluation(3, { policies: rows, blocks: { count: 8, kind: 'run', events, logged } }));
  const over = marks(report, 'over-time');
  const sum = (numbers: readonly number[], to: number): number => numbers.slice(0, to).reduce((a, b) => a + b, 0);
  for (const { index, blocks } of rows) {
    const wanted = blocks?.matches.map((matches, b) => [
      sum(events, b) + events[b] / 2,
      (blocks?.payoff[b] ?? 0) / matches,
    ]);
    expectNear(over.path(`line ${index}`), wanted ?? [], ON_PATH);
    const soFar = blocks?.matches.map((_, b) => [
      sum(events, b + 1),
      sum(blocks?.payoff ?? [], b + 1) / sum(blocks?.matches ?? [], b + 1),
    ]);
    expectNear(marks(report, 'convergence').path(`line ${index}`), soFar ?? [], ON_PATH);
  }
  expectNear(
    over.path('line log'),
    logged.map((payoff, b) => [sum(events, b) + events[b] / 2, payoff / events[b]]),
    ON_PATH,
  );
  expect(over.picture.finding).toContain('in 8 parts of the log');
});

test.each([
  ['users have no order', { blocks: { count: 8, kind: 'user' as const, events: Array(8).fill(100) as number[] } }],
  [
    'sums of blocks are not weighted',
    { estimator: { name: 'snips' as const, interval: 'wald' as const } as unknown as EvaluationResult['estimator'] },
  ],
])('no picture over time where %s', (_, part) => {
  const rows = policies(3).map((row, i) => ({ ...row, blocks: blocks(i) }));
  const blocksOf = { count: 8, kind: 'run' as const, events: Array(8).fill(100) as number[] };
  const report = evaluationReport(evaluation(3, { policies: rows, blocks: blocksOf, ...part }));
  expect(pictures(report, 'time')).toEqual([]);
});

test('a confidence sequence: bounds after each look', () => {
  const sequence = { method: 'asymptotic' as const, at: 100, level: 0.95, looks: [100, 200, 400] };
  const bounds = { lower: [0.01, 0.03, 0.05], upper: [0.2, 0.15, 0.11] };
  const report = evaluationReport(
    evaluation(1, { sequence, policies: policies(1).map((row) => ({ ...row, sequence: bounds })) }),
  );
  const { path, of } = marks(report, 'looks');
  expectNear(
    path('low'),
    sequence.looks.map((events, i) => [events, bounds.lower[i]]),
    ON_PATH,
  );
  expectNear(
    path('high'),
    sequence.looks.map((events, i) => [events, bounds.upper[i]]),
    ON_PATH,
  );
  expectNear(of('log', 'y1'), [[-1, 0.0381]]);
  expectNear(marks(report, 'forest').of('band', 'x2'), [[0, 0.11]]);
});

test('a hold-out: values on both parts', () => {
  const held = {
    name: 'policy 0',
    index: 0,
    selected: 0.09,
    matches: 400,
    value: 0.07,
    standardError: 0.01,
    interval: [0.05, 0.1] as [number, number],
  };
  const holdOut: EvaluationResult['holdOut'] = {
    ...{ by: 'users', selection: { events: 500, share: 0.5 }, evaluation: { events: 500, share: 0.5 }, leftOut: 0 },
    ...{ logged: { events: 500, value: 0.04, interval: [0.03, 0.05] }, difference: null, policies: [held] },
  };
  const { of, picture } = marks(evaluationReport(evaluation(3, { holdOut })), 'held-out');
  expectNear(of('selected', 'cx'), [[0, 0.09]]);
  expectNear(of('value', 'cx'), [[0, 0.07]]);
  expectNear(of('interval', 'x1'), [[0, 0.05]]);
  expectNear(of('log', 'x1'), [[-1, 0.04]]);
  expect(picture.finding).toContain('0.0700 there (95 %: 0.0500 to 0.1000), and 0.0900 on the part');
});

test('learners: curves are means over replicas, with their spread; every run is a tick', () => {
  const replica = (r: number) => ({
    ...{ replica: r, seed: 0, matches: 60, payoff: 12 + r, value: (12 + r) / 60 },
    blocks: { matches: [20, 40], payoff: [2 + r, 10], payoffSquared: [2 + r, 10] },
  });
  const base = replaySample();
  const learners = [
    { ...base.learners[0], mean: 0.21, std: 0.01, min: 0.2, max: 0.22, replicas: [0, 1, 2].map(replica) },
  ];
  const result: ReplayResult = {
    ...base,
    learners,
    selection: null,
    blocks: { count: 2, kind: 'run', events: [100, 100], logged: [10, 12] },
  };
  const report = replayReport(result);
  const { index } = learners[0];
  expectNear(
    marks(report, 'learning-curves').path(`line ${index}`),
    [
      [50, 3 / 20],
      [150, 10 / 40],
    ],
    ON_PATH,
  );
  expectNear(
    marks(report, 'learning-curves').path('line log'),
    [
      [50, 0.1],
      [150, 0.12],
    ],
    ON_PATH,
  );
  expectNear(
    marks(report, 'against-t').path(`line ${index}`),
    [
      [20, 3 / 20],
      [60, 13 / 60],
    ],
    ON_PATH,
  );
  // Up along the upper end of the area, and back along the lower one.
  expectNear(marks(report, 'learning-curves').path(`spread ${index}`).slice(0, 1), [[50, 3 / 20 + 0.05]], ON_PATH);
  expectNear(marks(report, 'runs').of('run', 'x1'), [
    [-1, 12 / 60],
    [-1, 13 / 60],
    [-1, 14 / 60],
  ]);
  expectNear(marks(report, 'runs').of('mean', 'cx'), [[index, 0.21]]);
});

test('files open by themselves, and say what they show', () => {
  const files = pictureFiles(evaluationReport(evaluation(30, { policies: policies(30, (i) => `<b>&"${i}`) })));
  expect(files.map(({ name }) => name)).toEqual(['forest.svg', 'winner.svg', 'distribution.svg', 'matches.svg']);
  for (const { text } of files) {
    expect(text).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" role="img"/,
    );
    expect(text).toMatch(/<title>[^<]+<\/title><desc>[^<]+<\/desc>/);
    expect(/var\(|<b>/.test(text)).toBe(false);
  }
});
