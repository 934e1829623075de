import { describe, expect, test } from 'vitest';
import { names, numberBetween, period, range, wholeNumber } from '#dist/cli/values.js';

describe('option values', () => {
  test.each([
    ['1', 1],
    ['1e6', 1_000_000],
    ['1_000', 1000],
    [' 42 ', 42],
  ])('the whole number %j is %i', (text, value) => expect(wholeNumber('--n', 1)(text)).toBe(value));

  test.each(['', '0', '-1', '1.5', 'ten', '0x10', 'NaN', 'Infinity', '1e99', '1,000'])(
    '%j is no whole number of at least 1',
    (text) =>
      expect(() => wholeNumber('--n', 1)(text)).toThrow(/option --n is not valid\n {2}got: {4}.*\n {2}needed: /),
  );

  test.each(['0', '1', '1.5', '95', '-0.1', 'NaN', ''])('%j is no confidence', (text) => {
    expect(() => numberBetween('--confidence', 0, 1)(text)).toThrow(/needed: a number strictly between 0 and 1/);
  });

  test('a percentage is recognised', () => {
    expect(() => numberBetween('--confidence', 0, 1)('95')).toThrow(/try: {4}--confidence 0\.95/);
  });

  test.each([
    ['250ms', 250],
    ['30s', 30_000],
    ['5m', 300_000],
    ['5min', 300_000],
    ['1.5h', 5_400_000],
    ['1d', 86_400_000],
    ['2w', 1_209_600_000],
  ])('the period %s is %d ms', (text, ms) => expect(period('--p')(text)).toBe(ms));

  test.each(['', '5', 'd', '0d', '-1d', '1 fortnight', '0.5ms'])('%j is no period', (text) => {
    expect(() => period('--p')(text)).toThrow(/--p 1d/);
  });

  test('names are separated by commas, which can be escaped', () => {
    expect(names('--numeric')('a, b,c\\,d')).toEqual(['a', 'b', 'c,d']);
    for (const text of ['', 'a,,b', 'a,']) expect(() => names('--numeric')(text)).toThrow(/names separated by commas/);
  });

  test('a range has its lower end first', () => {
    expect(range('--payoff-range')('-1,5')).toEqual([-1, 5]);
    for (const text of ['1', '1,0', '0,0', '0,1,2', 'a,b', '0,Infinity']) {
      expect(() => range('--payoff-range')(text)).toThrow(/the lower one first/);
    }
  });
});
