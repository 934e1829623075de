import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal } from '#dist/files/decimal.js';

const parse = (text: string): number => {
  // Bytes around the number must not matter.
  const bytes = Buffer.from(`9${text}9`);
  return decimal(bytes, 1, bytes.length - 1);
};

describe('decimal', () => {
  it('is what Number makes of any digits with a point and a sign', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 24 });
    fc.assert(
      fc.property(fc.constantFrom('', '-'), digits, fc.boolean(), digits, (sign, whole, point, fraction) => {
        const text = `${sign}${whole}${point ? '.' : ''}${fraction}`;
        const wanted = text === '' ? Number.NaN : Number(text);
        expect(parse(text)).toBe(wanted);
      }),
      { numRuns: 20_000 },
    );
  });

  it('is what Number makes of every six-decimal number in a sample', () => {
    for (let k = 0; k < 1_000_000; k += 7) {
      const text = `0.${String(k).padStart(6, '0')}`;
      if (parse(text) !== Number(text)) expect(text).toBe('exact');
    }
  });

  it.each(['1e5', '-1.5E-3', '+2', '1e+2', '5e-324', '1.7976931348623157e308', '.5e1', '00012', '-0'])(
    'reads %s',
    (text) => {
      expect(parse(text)).toBe(Number(text));
    },
  );

  it.each([
    '',
    '-',
    '.',
    '-.',
    'e5',
    '1e',
    '1e999',
    '-1e999',
    '0x10',
    '1_0',
    'NaN',
    'Infinity',
    '1 ',
    '١',
    '1.2.3',
    '--1',
  ])('refuses %j', (text) => {
    expect(parse(text)).toBeNaN();
  });
});
