import { describe, expect, test } from 'vitest';
import { replay } from '#dist/replay.js';
import { type Column, gridLines } from '#dist/report/grid.js';
import { shortNames } from '#dist/report/learner-names.js';
import { toReplayTable } from '#dist/report/replay-table.js';
import { displayWidth, shortenAll } from '#dist/report/text.js';
import { simulateToday } from '#dist/simulate/today.js';

const { log } = simulateToday({ events: 400, seed: 1, articles: 5, pool: 4 });
const textOf = async (learners: Parameters<typeof replay>[1]): Promise<string> =>
  toReplayTable(await replay(log, learners, { repeats: 2, subsample: 0.5, device: 'cpu', threads: 1 }));

describe('the table of a replay', () => {
  test('leaves names alone that fit', async () => {
    const text = await textOf([{ algorithm: 'linucb', alpha: 0.25 }, { algorithm: 'ucb1' }]);
    expect(text).toMatch(/^linucb alpha=0\.25 +0/m);
    expect(text).not.toContain('Names leave out');
  });

  test('keeps every setting of a long grid apart, and cuts nothing', async () => {
    const text = await textOf([
      { algorithm: 'linucb', alpha: [0.25, 1], lambda: [0.5, 2], tieTolerance: [1e-6, 1e-9] },
      { algorithm: 'thompson', a: 3, b: 97 },
    ]);
    for (const line of text.split('\n')) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
    expect(text).not.toContain('…');
    expect(text).toMatch(/^learner +mean +std +max +matches +95 % band$/m);
    // The lines of a setting, under each other in the first column, are its name.
    const [, rule, body] = /^(─+).*\n([\s\S]*?)\n\n/m.exec(text) ?? [];
    const names = body
      .split('\n')
      .map((line) => line.slice(0, rule.length).trimEnd())
      .join('\n')
      .replaceAll('\n  ', ' ')
      .split('\n');
    const grid = [0.25, 1].flatMap((alpha) =>
      [0.5, 2].flatMap((lambda) =>
        ['1e-6', '1e-9'].map((tie) => `linucb alpha=${alpha} lambda=${lambda} tieTolerance=${tie}`),
      ),
    );
    expect(names).toEqual([...grid, 'thompson', '(the log)']);
    expect(text).toContain('Names leave out what all rows of an algorithm share: thompson a=3 b=97.');
  });
});

describe('a column that wraps', () => {
  const columns: Column[] = [
    { head: 'learner', align: 'left', flexible: 'wrap' },
    { head: 'min', align: 'right', optional: 1 },
    { head: 'interval', align: 'right' },
  ];

  test('is as narrow as its longest first word before anything is left out, and indents what goes on below', () => {
    const rows = [['epsilon-greedy epsilon=0.1', '0.02837', 'x'.repeat(55)]];
    expect(gridLines(columns, rows)).toEqual([
      `learner${' '.repeat(13)}min${' '.repeat(49)}interval`,
      `${'─'.repeat(14)}  ${'─'.repeat(7)}  ${'─'.repeat(55)}`,
      `epsilon-greedy  0.02837  ${'x'.repeat(55)}`,
      '  epsilon=0.1',
    ]);
  });

  test('leaves an optional column out where words would be cut', () => {
    const rows = [['epsilon-greedy epsilon=0.1', '0.02837', 'x'.repeat(60)]];
    expect(gridLines(columns, rows)[0]).not.toContain('min');
  });
});

describe('short names of learners', () => {
  const linucb = (name: string, alpha: number, lambda: number) => ({
    name,
    algorithm: 'linucb' as const,
    parameters: { alpha, lambda, tieTolerance: 1e-6 },
  });

  test('name what differs, defaults included, and say once what does not', () => {
    const { names, shared } = shortNames([
      linucb('linucb alpha=1 lambda=2', 1, 2),
      linucb('linucb alpha=1', 1, 1),
      { name: 'ucb1', algorithm: 'ucb1', parameters: { alpha: 1 } },
    ]);
    expect(names).toEqual(['linucb lambda=2', 'linucb lambda=1', 'ucb1']);
    expect(shared).toEqual(['linucb alpha=1']);
  });

  test('stay apart: repeated settings keep their numbers, and others their names', () => {
    const twice = shortNames([
      linucb('linucb alpha=1', 1, 1),
      linucb('linucb alpha=1 #2', 1, 1),
      { name: 'mine, a=1', algorithm: 'custom', parameters: {} },
    ]);
    expect(twice.names).toEqual(['linucb', 'linucb #2', 'mine, a=1']);
    // A default that is written out is no difference.
    const alike = [linucb('linucb', 1, 1), linucb('linucb alpha=1', 1, 1)];
    expect(shortNames(alike)).toEqual({ names: ['linucb', 'linucb alpha=1'], shared: [] });
  });
});

describe('texts of a column', () => {
  test.each([
    [
      ['a headline', 'b headline'],
      ['a h…ne', 'b h…ne'],
    ],
    [
      ['the headline, 1, page', 'the headline, 2, page'],
      ['… 1, page', '… 2, page'],
    ],
    [
      ['number 1 of the headlines', 'number 2 of the headlines'],
      ['number 1…', 'number 2…'],
    ],
    [
      ['short', 'long enough'],
      ['short', 'lo…gh'],
    ],
  ])('%j are cut where they stay apart', (texts, expected) => {
    expect(shortenAll(texts, displayWidth(expected[1]))).toEqual(expected);
  });
});
