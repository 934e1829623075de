import { describe, expect, it } from 'vitest';
import { compareCodePoints, nearestName, sortIds } from '#dist/names/order.js';

describe('order of identifiers', () => {
  it('is numeric where every id is an integer, of any size', () => {
    expect(sortIds(['10', '9', '-2', '-10', '0', '123456789012345678901', '123456789012345678900'])).toEqual([
      '-10',
      '-2',
      '0',
      '9',
      '10',
      '123456789012345678900',
      '123456789012345678901',
    ]);
  });

  it('is by code point as soon as one is not an integer', () => {
    expect(sortIds(['10', '9', 'a'])).toEqual(['10', '9', 'a']);
    expect(sortIds(['10', '9', '07'])).toEqual(['07', '10', '9']);
    expect(sortIds(['b', 'A', 'a', 'B', ''])).toEqual(['', 'A', 'B', 'a', 'b']);
  });

  it('puts astral characters after U+FFFD, as UTF-8 does and UTF-16 does not', () => {
    const ids = ['😀', '\ufffd', 'z', '\ue000'];
    expect(sortIds([...ids])).toEqual([...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    expect([...ids].sort()).not.toEqual(sortIds([...ids]));
    expect(compareCodePoints('ab', 'a')).toBeGreaterThan(0);
  });
});

describe('nearestName', () => {
  it('finds typing errors and nothing far-fetched', () => {
    expect(nearestName('payof', ['arm', 'payoff', 'time'])).toBe('payoff');
    expect(nearestName('Arm', ['arm', 'payoff'])).toBe('arm');
    expect(nearestName('zzzzzz', ['arm', 'payoff'])).toBeNull();
    expect(nearestName('9', ['0', '10', 'a'])).toBeNull();
    expect(nearestName('118', ['119', '18'])).toBeNull();
    expect(nearestName('118', ['119', '118.0'])).toBe('118.0');
  });
});
