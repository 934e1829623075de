import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { armIds, candidates, context, fault, MAPPING, payoffs, read } from '../../log/files.js';

const lines = (...values: unknown[]) => `${values.map((value) => JSON.stringify(value)).join('\n')}\n`;

describe('JSON lines', () => {
  it('reads values of every kind, in any order of keys, plain and gzip', async () => {
    const text = lines(
      { arm: 10, payoff: 0.1, x: 1e-7, 'odd "name"/~': 'é\n', c: [10, 9], when: '2009-05-01T00:00:00+02:00' },
      { c: [9], 'odd "name"/~': 'u', when: '2009-05-01T00:00:00Z', x: 2, payoff: 1, arm: 9 },
    );
    const mapping = {
      ...MAPPING,
      context: { numeric: ['x'], onehot: ['odd "name"/~'] },
      candidates: 'c',
      time: 'when',
    };
    for (const [name, content] of [
      ['a.jsonl', text],
      ['a.ndjson.gz', gzipSync(text)],
      ['a.json', text.replaceAll('\n', '\n\n')],
      ['noending', text],
    ] as const) {
      const log = await read(name, content, { mapping });
      expect([name, armIds(log), payoffs(log)]).toEqual([name, ['10', '9'], [0.1, 1]]);
      expect(log.contexts.columns).toEqual(['odd "name"/~=u', 'odd "name"/~=é\n', 'x']);
      expect(context(log, 0)).toEqual([0, 1, 1e-7]);
      expect([candidates(log, 0), candidates(log, 1)]).toEqual([['9', '10'], ['9']]);
      expect(Array.from(log.time ?? [])).toEqual([Date.UTC(2009, 3, 30, 22), Date.UTC(2009, 4, 1)]);
      expect(log.source.format).toBe('jsonl');
    }
  });

  it('takes lines that end in different ways', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((arm) => JSON.stringify({ arm, payoff: 1 }));
    for (const text of [`${a}\n${b}\r\n${c}\n`, `${a}\r\n${b}\n${c}`, `${a}\r\n\n\r\n${b}\n\n${c}\r\n`]) {
      expect(armIds(await read('ends.jsonl', text))).toEqual(['a', 'b', 'c']);
      const bad = text.replace(c, '{"arm":"c"}');
      expect((await fault(read('ends.jsonl', bad))).fault).toMatchObject({
        row: 2,
        line: bad.split('\n').findIndex((line) => line.includes('"c"')) + 1,
      });
    }
  });

  it('finds a field that only late lines have, and filters by natural types', async () => {
    const late = lines(
      ...Array.from({ length: 12000 }, (_, i) => ({ arm: 'a', payoff: 0, k: i, ...(i > 11000 && { rare: 'r' }) })),
    );
    const log = await read('late.jsonl', late, { mapping: { ...MAPPING, keys: ['rare'] }, where: 'k > 11998' });
    expect(Array.from(log.sourceRow ?? [])).toEqual([11999]);
    expect((await fault(read('late.jsonl', late, { mapping: { ...MAPPING, keys: ['rare'] } }))).message).toMatch(
      /row 0 \(line 1\), column "rare": key is missing/,
    );
  });

  const bad: [string, string, RegExp][] = [
    [
      'syntax',
      '{"arm":1,"payoff":1}\n\n{"arm":1,"payoff":}\n',
      /row 1 \(line 3\): line is not JSON\n {2}got: {4}"\{\\"arm\\":1,\\"payoff\\":\}"/,
    ],
    ['cut', '{"arm":1,"payoff":1}\n{"arm":1,"pay', /row 1 \(line 2\): line is not JSON/],
    ['number', '{"arm":1,"payoff":1}\n3\n', /row 1 \(line 2\): line is not a JSON object/],
    [
      'missing',
      '{"arm":1,"payoff":1}\n{"arm":1}\n',
      /row 1 \(line 2\), column "payoff": payoff is missing\n {2}got: {4}nothing/,
    ],
    ['null', '{"arm":null,"payoff":1}\n', /row 0 \(line 1\), column "arm": arm is missing/],
    ['text', '{"arm":1,"payoff":"high"}\n', /column "payoff": payoff is not a number\n {2}got: {4}"high"/],
    ['array', '[{"arm":1,"payoff":1}]', /the file is one JSON array[\s\S]*jq -c/],
    ['empty', '', /the file is empty/],
    ['blank', '\n\n', /the file is empty/],
    ['no such field', '{"arms":1,"payoff":1}\n', /no column "arm"[\s\S]*did you mean "arms"\?/],
    ['nothing but faults', 'x\n', /row 0 \(line 1\): line is not JSON/],
  ];
  it.each(bad)('is refused: %s', async (name, text, message) => {
    expect((await fault(read(`bad ${name}.jsonl`, text))).message).toMatch(message);
  });

  it('counts bad lines on request, also behind a filter', async () => {
    const text = '{"arm":1,"payoff":1}\n{oops\n[]\n{"arm":2,"payoff":0}\n{"arm":2,"payoff":"x"}\n';
    const log = await read('skip.jsonl', text, { skipBadRows: true });
    expect(Array.from(log.sourceRow ?? [])).toEqual([0, 3]);
    expect(log.source.badRows.map(({ kind, count }) => [kind, count])).toEqual([
      ['line is not JSON', 1],
      ['line is not a JSON object', 1],
      ['payoff is not a number', 1],
    ]);
    const filtered = await read('skip.jsonl', text, { skipBadRows: true, where: 'arm = 2' });
    expect(filtered.events).toBe(1);
    expect(filtered.source.badRows.map(({ kind, count }) => [kind, count])).toEqual([
      ['line is not JSON', 1],
      ['line is not a JSON object', 1],
      ['payoff is not a number', 1],
    ]);
    expect(filtered.source.rows).toBe(5);
  });

  it('has the columns of the lines that are left: what only a dropped line has is none', async () => {
    const text =
      '{"arm":"a","payoff":1,"x":1}\n{"arm":"b","payoff":0,"x":2,"typo":"\\ud800"}\n{"arm":"b","payoff":0,"x":2}\n';
    const mapping = { ...MAPPING, context: ['*'] };
    const log = await read('left.jsonl', text, { mapping, skipBadRows: true });
    expect([log.contexts.columns, log.events, log.source.badRows[0].count]).toEqual([['x'], 2, 1]);
    const named = read('left.jsonl', text, { mapping: { ...MAPPING, context: ['typo'] }, skipBadRows: true });
    expect((await fault(named)).fault.problem).toMatch(/no column "typo"/);
  });
});
