/** Seeded draws for simulated logs: key (seed, simulation), counter (index, purpose). No draw depends on another. */

import { InputError } from '../errors.js';
import { STREAM, scaleToIndex, threefry2x32, toUnit } from '../random/threefry.js';

/**
 * What a draw is for: the second counter word. Purposes with several draws per index use the words that follow, so they
 * are spaced widely.
 */
export const PURPOSE = {
  // The Today world.
  context: 0x000,
  logging: 0x010,
  click: 0x011,
  taste: 0x100,
  popularity: 0x110,
  churn: 0x120,
  // Random linear policies; + arm · dimension + feature.
  skill: 0x200,
  weight: 0x1000000,
  // Random logs of tests and benchmarks; context + feature, pool + member.
  randomLogging: 0x300,
  randomPayoff: 0x301,
  randomContext: 0x2000000,
  randomPool: 0x3000000,
  // The world of simulate(): by visit, session, user, article, change of the page, day; user + number of the draw,
  // pageOrder + place, drift + knot.
  visit: 0x500,
  choice: 0x501,
  visitClick: 0x502,
  session: 0x503,
  user: 0x510,
  article: 0x560,
  change: 0x570,
  businessRule: 0x571,
  pageOrder: 0x600,
  drift: 0x5000000,
  // Faults put into the text of a log: which, and where in the line.
  dirt: 0x400,
} as const;

/** Streams of other purposes lie below this (see `STREAM`). */
const STREAMS = 256;

export class WorldDraws {
  private readonly words = new Uint32Array(2);

  /**
   * @param seed any whole number in 0..2³²−1.
   * @param stream sets of draws under one seed that have nothing to do with each other: 0, 1, …
   */
  constructor(
    private readonly seed: number,
    private readonly stream = 0,
  ) {
    if (Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32) return;
    throw new InputError({
      problem: 'the seed is not usable',
      got: String(seed),
      needed: 'a whole number in 0..4294967295',
    });
  }

  /** Draws two words into `first` and `second`. */
  draw(index: number, purpose: number): this {
    threefry2x32(this.seed, STREAM.simulation + this.stream * STREAMS, index, purpose, this.words);
    return this;
  }

  /** The first word of the last draw. */
  get first(): number {
    return this.words[0];
  }

  /** The second word of the last draw. */
  get second(): number {
    return this.words[1];
  }

  /** A uniform number in [0, 1) with 53 bits. */
  unit(index: number, purpose: number): number {
    this.draw(index, purpose);
    return toUnit(this.first, this.second);
  }

  /** A whole number in 0..n−1. */
  below(n: number, index: number, purpose: number): number {
    return scaleToIndex(this.draw(index, purpose).first, n);
  }

  /**
   * A bell-shaped number of mean 0 and variance 1, in ±3.5: the sum of four 16-bit uniform ones. No logarithm or sine, whose
   * last bits differ between machines.
   */
  bell(index: number, purpose: number): number {
    const { first, second } = this.draw(index, purpose);
    const sum = (first >>> 16) + (first & 0xffff) + (second >>> 16) + (second & 0xffff);
    return (sum - 131070) / BELL_DEVIATION;
  }
}

/** Standard deviation of four uniform numbers in 0..65535. */
const BELL_DEVIATION = Math.sqrt((4 * (65536 * 65536 - 1)) / 12);

/** @throws InputError unless `value` is a whole number of at least `least`. */
export function checkWhole(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new InputError({
    problem: `${name} is not usable`,
    got: String(value),
    needed: `a whole number of at least ${least}`,
  });
}
