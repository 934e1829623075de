import { expect, it } from 'vitest';
import { checkMatches } from '#dist/estimate/due-matches.js';

const due = { events: 100, due: 25, variance: 18.75 };
const count = (matches: number, more = {}) => ({ name: 'p', events: 100, matches, mayPass: false, ...more });

/** P(T ≥ k) of a binomial distribution, or P(T ≤ k), by its definition. */
function tail(n: number, p: number, k: number, upper: boolean): number {
  let [term, sum] = [(1 - p) ** n, 0];
  for (let i = 0; i <= n; i++) {
    if (upper ? i >= k : i <= k) sum += term;
    term *= ((n - i) / (i + 1)) * (p / (1 - p));
  }
  return sum;
}

it('bounds the binomial tail on both sides, no looser than by a factor of 40', () => {
  for (let k = 0; k <= 100; k++) {
    const p = checkMatches([count(k)], due)?.p ?? Number.NaN;
    const exact = Math.min(1, 2 * tail(100, 0.25, k, k > 25));
    expect(p).toBeGreaterThanOrEqual(exact * (1 - 1e-9));
    if (k !== 25) expect(p).toBeLessThan(Math.max(exact * 40, 1e-300));
  }
});

it('names the furthest of all, corrected for their number', () => {
  const found = checkMatches([count(25), count(60, { name: 'far' }), count(20)], due);
  expect(found).toMatchObject({ checked: 3, name: 'far', matches: 60, due: 25 });
  expect(found?.z).toBeCloseTo(35 / Math.sqrt(18.75), 12);
  expect(found?.p).toBeCloseTo(3 * (checkMatches([count(60)], due)?.p ?? 0), 15);
});

it('says nothing where nothing can be off, and of too few matches of what may pass', () => {
  expect(checkMatches([], due)).toBeNull();
  expect(checkMatches([count(100)], { events: 100, due: 100, variance: 0 })).toBeNull();
  expect(checkMatches([count(0, { mayPass: true })], due)?.p).toBe(1);
  expect(checkMatches([count(0)], due)?.p).toBeLessThan(1e-11);
  expect(checkMatches([count(0, { events: 0 })], due)?.p).toBe(1);
});
