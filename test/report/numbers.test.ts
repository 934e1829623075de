import { describe, expect, test } from 'vitest';
import {
  bytes,
  count,
  decimalsFor,
  duration,
  fixed,
  nonzero,
  percent,
  prefixed,
  significant,
} from '#dist/report/numbers.js';

describe('numbers for people', () => {
  test.each([
    [0, '0'],
    [999, '999'],
    [1000, '1,000'],
    [-1234567, '-1,234,567'],
    [2.5, '2.5'],
    [1e15, '1.000e+15'],
  ])('count(%d) is %s', (value, text) => expect(count(value)).toBe(text));

  test.each([
    [0, 6, '0'],
    [1, 6, '1'],
    [0.1, 6, '0.1'],
    [1 / 3, 3, '0.333'],
    [0.00012345, 3, '0.000123'],
    [2 ** -32, 6, '2.32831e-10'],
    [12345.678, 6, '12,345.7'],
    [99.9999, 3, '100'],
    [-0.05, 2, '-0.05'],
    [1e-9, 3, '1e-9'],
  ])('significant(%d, %i) is %s', (value, digits, text) => expect(significant(value, digits)).toBe(text));

  test.each([
    [0.05, 4, '0.0500'],
    [-0.00001, 2, '0.00'],
    [-1234.5, 1, '-1,234.5'],
    [0.5, 0, '1'],
  ])('fixed(%d, %i) is %s', (value, decimals, text) => expect(fixed(value, decimals)).toBe(text));

  test.each([
    [0, '0'],
    [999, '999'],
    [999.9, '1k'],
    [12_345, '12.3k'],
    [5e10, '50G'],
    [1.5e12, '1.5T'],
  ])('prefixed(%d) is %s', (value, text) => expect(prefixed(value)).toBe(text));

  test.each([
    [16384, '16 KiB'],
    [134217728, '128 MiB'],
    [2147483644, '2 GiB − 4'],
    [100, '100 B'],
    [4294967295, '4 GiB − 1'],
  ])('bytes(%d) is %s', (value, text) => expect(bytes(value)).toBe(text));

  test.each([
    [0.00043, '0.43 ms'],
    [0.0991, '99 ms'],
    [0.4321, '0.43 s'],
    [9.94, '9.9 s'],
    [59.6, '1 min 0 s'],
    [200, '3 min 20 s'],
    [7500, '2 h 5 min'],
    [7199, '2 h 0 min'],
  ])('duration(%d) is %s', (seconds, text) => expect(duration(seconds)).toBe(text));

  test.each([
    [0.025, 0, '0.025'],
    [-0.0004, 2, '-0.0004'],
    [0, 2, '0.00'],
    [0.025, 3, '0.025'],
    [0.5, 0, '1'],
    [12345, 0, '12,345'],
  ])('nonzero(%d, %d) is %s', (value, decimals, text) => expect(nonzero(value, decimals)).toBe(text));

  test('percent shows what was asked for', () => {
    expect([0.95, 0.999, 0.9, 0.29].map(percent)).toEqual(['95 %', '99.9 %', '90 %', '29 %']);
  });

  test('decimals follow the narrowest interval, within bounds', () => {
    expect(decimalsFor([0.02, 0.5])).toBe(4);
    expect(decimalsFor([12])).toBe(1);
    expect(decimalsFor([1e-12])).toBe(8);
    expect(decimalsFor([1e6])).toBe(0);
    expect(decimalsFor([])).toBe(4);
    expect(decimalsFor([0])).toBe(4);
  });
});
