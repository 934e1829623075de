import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineFeed } from '#dist/files/byte-lines.js';

/** The lines of chunks as text; a line that is too long as its beginning and its length; what is left at the end. */
function linesOf(chunks: readonly Buffer[], mostBytes: number) {
  const lines: (string | [string, number])[] = [];
  const feed = new LineFeed(
    {
      line: (bytes, from, to) => void lines.push(bytes.toString('latin1', from, to)),
      tooLong: (beginning, length) => void lines.push([beginning.toString('latin1'), length]),
    },
    mostBytes,
  );
  for (const chunk of chunks) feed.push(chunk);
  const rest = feed.end();
  // Nothing is left for the next file.
  expect(feed.end()).toBeNull();
  return { lines, rest: rest === null ? null : [rest.bytes.toString('latin1'), rest.length] };
}

describe('LineFeed', () => {
  it('gives the lines of the text, however it is cut', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\r', '\n', '\n'), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(60), { maxLength: 8 }), fc.integer({ min: 1, max: 12 }), (all, cuts, most) => {
        const places = [0, ...cuts.map((cut) => Math.min(cut, all.length)), all.length].sort((a, b) => a - b);
        const chunks = places.slice(1).map((to, i) => Buffer.from(all.slice(places[i], to)));
        const wanted = all.split('\n');
        const last = wanted.pop() ?? '';
        const { lines, rest } = linesOf(chunks, most);
        expect(lines).toEqual(wanted.map((line) => (line.length > most ? [line.slice(0, most), line.length] : line)));
        expect(rest).toEqual(last === '' ? null : [last.slice(0, most), last.length]);
      }),
      { numRuns: 3000 },
    );
  });

  it('holds no more of a long line than its limit', () => {
    const chunk = Buffer.alloc(1 << 20, 'x');
    const before = process.memoryUsage().arrayBuffers;
    const { lines } = linesOf([...Array.from({ length: 300 }, () => chunk), Buffer.from('\nend\n')], 1 << 20);
    expect(lines.map((line) => (typeof line === 'string' ? line : line[1]))).toEqual([300 << 20, 'end']);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 << 20);
  });
});
