/** Draws for one mutated input, from the counter-based generator: input number i is the same whenever it is made. */

import { scaleToIndex, threefry2x32 } from '../../dist/random/threefry.js';

/** Keeps these draws apart from those of the program. */
const STREAM = 0xf022;

export class Random {
  #words = new Uint32Array(2);
  #count = 0;

  constructor(seed, input) {
    this.seed = seed;
    this.input = input;
  }

  /** A whole number in 0..n−1 (n at most 2³²). */
  below(n) {
    threefry2x32(this.seed, STREAM, this.input, this.#count++, this.#words);
    return scaleToIndex(this.#words[0], n);
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  /** True once in n. */
  once(n) {
    return this.below(n) === 0;
  }
}
