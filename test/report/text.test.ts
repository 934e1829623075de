import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printable } from '#dist/printable.js';
import { displayWidth, shorten, wrap } from '#dist/report/text.js';

describe('text that must fit', () => {
  test.each([
    ['weights.npy[17]', 20, 'weights.npy[17]'],
    ['weights.npy[17]', 10, 'weigh…[17]'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
    ['日本語の名前', 8, '日本…前'],
    ['a\nb\u001b[31m', 20, 'a\\nb\\u001b[31m'],
  ])('%j in %i columns is %j', (text, width, expected) => {
    expect(shorten(text, width)).toBe(expected);
  });

  test('a shortened text never exceeds its width, keeps both ends, and is left alone where it fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 3, max: 40 }), (text, width) => {
        const short = shorten(text, width);
        expect(displayWidth(short)).toBeLessThanOrEqual(width);
        if (displayWidth(printable(text)) <= width) expect(short).toBe(printable(text));
      }),
    );
  });

  test('wrapping keeps every word and never exceeds the width', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 30 }), { maxLength: 12 }), (words) => {
        const text = words.join(' ');
        const lines = wrap(text, 20);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(20);
        expect(lines.join('').replaceAll(' ', '')).toBe(printable(text).replaceAll(' ', ''));
      }),
    );
  });
});
