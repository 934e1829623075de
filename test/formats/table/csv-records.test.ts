import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvRecords } from '#dist/formats/table/csv-records.js';

/** What is told of a text that comes in these parts, each at some place of a larger array. */
function told(text: Buffer, delimiter: string, lengths: readonly number[], shift: number) {
  const records: [string, string | null, number][] = [];
  const form = { header: 1, delimiter: delimiter.charCodeAt(0), columns: 3 };
  const scan: CsvRecords = new CsvRecords(form, true, (bytes, fault) => {
    records.push([bytes.toString('latin1'), fault, scan.line]);
  });
  for (let from = 0, k = 0; from < text.length; k++) {
    const part = text.subarray(from, from + lengths[k % lengths.length]);
    const room = Buffer.alloc(part.length + 8, 0x22).subarray((shift + k) % 5);
    room.set(part);
    scan.push(room.subarray(0, part.length));
    from += part.length;
  }
  scan.close();
  const { rows, longest, longestLine, bytes, anyBreaks, feeds, pairs, returns, strayReturn } = scan;
  return { records, rows, longest, longestLine, bytes, anyBreaks, feeds, pairs, returns, strayReturn };
}

const PIECES = [
  'a',
  'bcd',
  '12.5',
  '#',
  '!',
  '~',
  ' ',
  '"',
  '""',
  '\n',
  '\r',
  '\r\n',
  '\0',
  'é',
  '\xff',
  ',',
  ';',
  '\t',
];

describe('records of CSV', () => {
  it.each([',', ';', '\t', '|'])(
    'are the same byte by byte and in any parts, four bytes at a time (%j)',
    (delimiter) => {
      const text = fc
        .array(fc.constantFrom(...PIECES, delimiter, delimiter, 'word', 'longer words'), {
          minLength: 1,
          maxLength: 60,
        })
        .map((pieces) => Buffer.from(pieces.join(''), 'latin1'));
      const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
      fc.assert(
        fc.property(text, lengths, fc.nat(3), (bytes, cuts, shift) => {
          expect(told(bytes, delimiter, cuts, shift)).toEqual(told(bytes, delimiter, [1], 0));
        }),
      );
    },
  );

  it('count delimiters at each place of four, and see what stands around them', () => {
    const rows = ['abcd,efgh,ijkl', ',,', 'a,b,c', 'ab,,cdef', 'abc,defghij,', '"a,b",cdefgh,i', 'abcdefg,h, "ij,kl"'];
    const { records } = told(Buffer.from(`x,y,z\n${rows.join('\n')}\n`), ',', [1000], 0);
    expect(records).toEqual(rows.map((row, i) => [row, null, i + 2]));
  });
});
