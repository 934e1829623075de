/** Random draws of one replica: a pure function of seed, stream, replica, event and the number of the draw. */

import { scaleToIndex, threefry2x32, toUnit } from '../random/threefry.js';

/** Draws of one event are numbered in the upper bits of the stream, so that learners that need many stay independent. */
const DRAW_SHIFT = 8;

/** Key = (seed, stream + 256 · draw), counter = (event of the whole log, replica). */
export class Draws {
  private readonly words = new Uint32Array(2);

  /**
   * @param seed u32, printed in every result.
   * @param replica number of the replica.
   * @param stream a member of `STREAM`.
   * @param firstEvent index in the whole log of the event that is called 0, where a batch of it is gone through.
   */
  constructor(
    /** A whole number in 0..2³²−1. */
    readonly seed: number,
    /** Number of the replica. */
    readonly replica: number,
    /** What the draws are for. */
    readonly stream: number,
    private readonly firstEvent = 0,
  ) {}

  private draw(event: number, draw: number): void {
    const { seed, stream, firstEvent, replica, words } = this;
    threefry2x32(seed, stream + (draw << DRAW_SHIFT), firstEvent + event, replica, words);
  }

  /** 53 random bits in [0, 1). */
  unit(event: number, draw = 0): number {
    this.draw(event, draw);
    return toUnit(this.words[0], this.words[1]);
  }

  /** A uniform index in 0..n−1, exactly as the GPU draws it. */
  index(event: number, n: number, draw = 0): number {
    this.draw(event, draw);
    return scaleToIndex(this.words[0], n);
  }

  /** The first word of a draw, u32: for thresholds that CPU and GPU must share to the bit. */
  word(event: number, draw = 0): number {
    this.draw(event, draw);
    return this.words[0];
  }

  /** A standard normal variate (Box and Muller 1958), from one draw. */
  normal(event: number, draw = 0): number {
    this.draw(event, draw);
    // (u + 1/2) / 2³² keeps the logarithm finite.
    const radius = Math.sqrt(-2 * Math.log((this.words[0] + 0.5) / 4294967296));
    return radius * Math.cos((2 * Math.PI * (this.words[1] + 0.5)) / 4294967296);
  }
}

/** u32 threshold below which a word counts as "happens" with probability p; 2³² for p = 1. */
export function threshold(probability: number): number {
  return Math.floor(probability * 4294967296);
}
