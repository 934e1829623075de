import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import { inTwoSizes } from '../long.js';
import { candidates, context, MAPPING, payoffs, write } from './files.js';

describe('several files', () => {
  inTwoSizes(
    'give the log of the one file that holds their rows, however they are cut and packed',
    [4, 25],
    async (numRuns) => {
      const row = fc.record({
        pool: fc.uniqueArray(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 4 }),
        payoff: fc.constantFrom(0, 0.5, 3),
        x: fc.double({ noNaN: true, noDefaultInfinity: true }),
        c: fc.constantFrom('a', 'b,"', 'é\n1'),
      });
      const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
      const header = 'arm,payoff,x,c,pool\n';
      const mapping = { ...MAPPING, context: ['x', { column: 'c', encode: 'onehot' as const }], candidates: 'pool' };
      await fc.assert(
        fc.asyncProperty(
          fc.array(row, { minLength: 1, maxLength: 30 }),
          fc.array(fc.nat(30), { maxLength: 3 }),
          async (rows, cuts) => {
            const lines = rows.map(
              ({ pool, payoff, x, c }) => `${pool[0]},${payoff},${x},${quoted(c)},${pool.join('|')}\n`,
            );
            const ends = [...cuts.map((cut) => Math.min(cut, lines.length)), lines.length].sort((a, b) => a - b);
            const parts = ends.map((end, i) => header + lines.slice(i === 0 ? 0 : ends[i - 1], end).join(''));
            const files = parts.map((part, i) =>
              i % 2 === 0 ? write(`s${i}.csv`, part) : write(`s${i}.csv.gz`, gzipSync(part)),
            );
            const split = await readLog(files, { mapping });
            const whole = await readLog([write('whole.csv', header + lines.join(''))], { mapping });
            expect({ ...split, source: null }).toEqual({ ...whole, source: null });
            for (const [t, { pool, payoff, x }] of rows.entries()) {
              expect(candidates(split, t)).toEqual([...pool].sort((a, b) => a - b).map(String));
              expect(payoffs(split)[t]).toBe(payoff);
              expect(context(split, t)[0]).toBe(x + 0);
            }
          },
        ),
        { numRuns },
      );
    },
  );
});

describe('a long file', () => {
  it('keeps every row in order where quoted line breaks look like rows', async () => {
    const L = 400000;
    const trap = ['', '1,1,1\n', '\n"",\n0,0,0\n'];
    let text = 'arm,note,x\n';
    for (let i = 0; i < L; i++) text += `${i % 5},"${trap[i % 3].replaceAll('"', '""')}",${i}\n`;
    const log = await readLog([write('long.csv', text)], {
      mapping: { arm: 'arm', payoff: 'x', context: ['x'] },
      allowLeak: ['x'],
    });
    expect(log.events).toBe(L);
    expect(log.contexts.values.every((x, t) => x === t)).toBe(true);
    expect(log.arm.every((a, t) => a === t % 5)).toBe(true);
  });
});
