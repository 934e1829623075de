import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { armIds, fault, read } from '../../log/files.js';

const ROW = '{"arm":"a","payoff":1}';

describe('a name twice in JSON lines', () => {
  const twice: [what: string, line: string, name: string][] = [
    ['a column', '{"arm":"a","payoff":1,"arm":"b"}', 'arm'],
    ['with the same value', '{"arm":"a","payoff":1,"payoff":1}', 'payoff'],
    ['in an escape', '{"arm":"a","payoff":1,"\\u0061rm":"b"}', 'arm'],
    ['within a value', '{"arm":"a","payoff":1,"more":{"x":[{"y":1,"y":2}]}}', 'y'],
    ['that is empty', '{"arm":"a","payoff":1,"":1,"":2}', ''],
    ['of an object', '{"arm":"a","payoff":1,"__proto__":1,"__proto__":2}', '__proto__'],
  ];
  it.each(twice)('is refused: %s', async (_, line, name) => {
    for (const [file, text] of [
      ['twice.jsonl', `${ROW}\n\n${line}\n${ROW}\n`],
      ['twice-end.jsonl', `${ROW}\n\r\n${line}`],
    ]) {
      const { message } = await fault(read(file, text));
      expect(message).toMatch(/row 1 \(line 3\): JSON names a member twice/);
      expect(message).toContain(`got:    ${JSON.stringify(name)}\n`);
    }
    await expect(fault(read('twice.jsonl.gz', gzipSync(`${ROW}\n${line}\n`)))).resolves.toMatchObject({
      message: expect.stringContaining('row 1 (line 2): JSON names a member twice'),
    });
  });

  it('is counted where bad rows are dropped, and the rows keep their numbers', async () => {
    const bad = '{"arm":"b","payoff":1,"arm":"c"}';
    const rows = Array.from({ length: 5000 }, (_, i) =>
      i % 100 === 7 ? bad : `{"arm":"a${i % 3}","payoff":${i % 2}}`,
    );
    rows[500] = '{oops';
    const log = await read('drop.jsonl', rows.join('\n'), { skipBadRows: true, where: "arm <> 'a0'" });
    expect(log.source.badRows.map(({ kind, count }) => [kind, count])).toEqual([
      ['JSON names a member twice', 50],
      ['line is not JSON', 1],
    ]);
    const left = rows.flatMap((row, i) => (row.startsWith('{"arm":"a') && i % 3 !== 0 ? [i] : []));
    expect(Array.from(log.sourceRow ?? [])).toEqual(left);
    expect(armIds(log)).toEqual(left.map((i) => `a${i % 3}`));
    expect(log.source.rows).toBe(5000);
  });

  it('is none in text, in other objects, or where columns only look so', async () => {
    const line =
      '{"arm":"a","payoff":1,"arm ":1,"Arm":2,"m":{"arm":1},"l":[{"arm":1},{"arm":2}],"t":"\\"arm\\":1,\\"arm\\":2"}';
    expect((await read('fine.jsonl', `${line}\n${line}\n`)).events).toBe(2);
  });

  it('is found among thousands of names, in time linear in their number', async () => {
    const names = Array.from({ length: 20_000 }, (_, i) => `"c${i}":1`);
    const wide = (list: string[]) => `{"arm":"a","payoff":1,${list.join(',')}}\n`;
    const begun = performance.now();
    const lines = wide(names).repeat(20) + wide([...names, '"c7":2']) + wide(names.toReversed()).repeat(5);
    const { message } = await fault(read('wide.jsonl', lines));
    // One by one they would be 4·10⁸ comparisons a line.
    expect(performance.now() - begun).toBeLessThan(20_000);
    expect(message).toMatch(/row 20 \(line 21\): JSON names a member twice\n {2}got: {4}"c7"/);
  });
});
