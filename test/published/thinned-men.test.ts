/**
 * Thinning of a log of Bernoulli Thompson sampling, against the events that the formula and another Threefry give: of the reference's
 * program `ref_estimators.py`, with stream 7, seeds and κ as below and p = propensity_score:
 *
 *     u0, u1 = threefry(seed, 7, t, np.zeros(L, int)); u = ((u0 >> 5) * 67108864 + (u1 >> 6)) / 9007199254740992
 *     np.nonzero(u < kappa / (34 * p))[0]
 */
import { describe, expect, it } from 'vitest';
import { thinLog } from '#dist/log/views/thin.js';
import { openLog } from '#dist/open/open.js';
import { engines } from './engines.js';
import { sharedFile } from './reference.js';

const LOG = { files: [sharedFile('data/obd/bts/men/men.csv.gz')], format: 'obd' as const };
/** 34 · 1.65·10⁻⁴, the least of the log, which is that of row 9572. */
const LEAST = 34 * 0.000165;

/** Rows that are kept, by κ and seed. */
const KEPT: readonly [leastPropensity: number | undefined, thinSeed: number, rows: string][] = [
  [
    undefined,
    0,
    '84 303 558 698 734 775 848 880 1484 1767 1964 1988 2076 2089 2133 2143 2743 2879 3126 3499 3582 3773 3840 4072 4208 4250 4445 4512 4651 4718 4810 4834 5181 5304 5332 5441 5979 6118 6239 6577 6622 6706 7098 7125 7814 8023 8222 8379 8548 8572 8867 8979 8998 9038 9056 9387 9455 9572 9826 9892 9908 9965 9990',
  ],
  [
    LEAST,
    1,
    '78 121 671 691 734 757 1210 1241 1251 1358 1525 1797 2076 2266 2902 2936 2998 3065 3528 3773 3881 3883 4314 4516 4766 4788 4794 4868 5111 5200 5563 5811 6042 6230 6304 6506 6622 6628 6667 6706 6943 7068 7535 7587 7688 7764 7793 7820 7924 7932 8222 8379 8405 8446 8637 8731 8795 8862 8886 9053 9210 9428 9572 9580 9599 9710 9771 9805 9910',
  ],
  [
    LEAST,
    4294967295,
    '199 333 355 868 998 1251 1763 1774 1780 2076 2263 2307 2971 3158 3309 3704 3725 3735 3773 3921 4100 4186 4208 4298 4356 4446 4551 5321 5382 5585 5637 5990 6184 6230 6321 6568 6920 7016 7174 7308 7653 7878 7883 7896 8062 8075 8222 8408 8420 8600 9079 9258 9572 9625 9627 9738 9993',
  ],
  [
    0.005,
    7,
    '216 434 734 741 924 943 1052 1251 1317 1440 1516 2157 2179 2200 2307 2493 2655 2778 3042 3232 3621 3732 3773 3921 3947 4031 4208 4404 4702 5178 5254 5382 5418 5565 6042 6206 6471 6704 7207 7838 8070 8083 8222 8556 8862 8891 9572',
  ],
];

const log = openLog(LOG);

describe.each(engines())('thinning on $name', ({ run }) => {
  it.each(KEPT)('κ = %s, seed %d', async (leastPropensity, thinSeed, text) => {
    const rows = text.split(' ').map(Number);
    const all = await log;
    const thinned = thinLog(all, { leastPropensity, thinSeed });
    expect([...(thinned.sourceRow ?? [])]).toEqual(rows);
    const result = await run({
      log: LOG,
      policies: [{ family: 'constant' }],
      thin: true,
      leastPropensity,
      thinSeed,
    });
    expect(result.log).toMatchObject({
      events: rows.length,
      thinned: {
        ...{ events: 10_000, kept: rows.length, leastPropensity: leastPropensity ?? LEAST },
        ...{ declared: leastPropensity !== undefined, seed: thinSeed },
      },
    });
    expect(result.uniformity).toMatchObject({ basis: 'propensities', assumed: false });
    const matches = new Array(34).fill(0);
    for (const row of rows) matches[all.arm[row]]++;
    expect([...result.policies].sort((a, b) => a.index - b.index).map((policy) => policy.matches)).toEqual(matches);
    expect(result.warnings.some((warning) => warning.includes('snips'))).toBe(true);
  });
});
