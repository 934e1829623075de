/** Puts points in an order in which neighbours are near: by halving along the widest feature, as a k-d tree does. */

import { BOX_EVENTS } from './tree.js';

/** Points that the widest feature of many is guessed from. */
const SAMPLE = 32;

/** Orders points; keeps scratch memory between calls. */
export class Halver {
  private keys = new Float32Array(0);

  /** @param scale what a unit of each coordinate is worth, [d]. */
  constructor(private readonly scale: Float64Array) {}

  /**
   * An order of points in which every aligned run of 16 · 2ⁿ is one side of cuts.
   *
   * @param y coordinates, [points][d].
   */
  order(count: number, y: Float64Array): Uint32Array {
    if (this.keys.length < count) this.keys = new Float32Array(count);
    const order = new Uint32Array(count);
    for (let i = 0; i < count; i++) order[i] = i;
    this.halve(order, 0, count, y);
    return order;
  }

  private halve(order: Uint32Array, from: number, to: number, y: Float64Array): void {
    const count = to - from;
    if (count <= BOX_EVENTS) return;
    let half = BOX_EVENTS;
    while (half * 2 < count) half *= 2;
    const j = this.widest(order, from, to, y);
    // Where a sample is all alike, any order will do.
    if (j < 0) return;
    const d = this.scale.length;
    const { keys } = this;
    for (let i = from; i < to; i++) keys[i] = y[order[i] * d + j];
    select(order, keys, from, to - 1, from + half);
    this.halve(order, from, from + half, y);
    this.halve(order, from + half, to, y);
  }

  /** The feature that points differ most in; −1: a sample of them is all alike. */
  private widest(order: Uint32Array, from: number, to: number, y: Float64Array): number {
    const { scale } = this;
    const d = scale.length;
    const step = Math.ceil((to - from) / SAMPLE);
    let [widest, most] = [-1, 0];
    for (let j = 0; j < d; j++) {
      let low = y[order[from] * d + j];
      let high = low;
      for (let i = from + step; i < to; i += step) {
        const value = y[order[i] * d + j];
        if (value < low) low = value;
        else if (value > high) high = value;
      }
      const width = (high - low) * scale[j];
      if (width > most) [widest, most] = [j, width];
    }
    return widest;
  }
}

/** Hoare's selection: points before place k have keys no larger than those from it on. */
function select(order: Uint32Array, keys: Float32Array, first: number, last: number, k: number): void {
  let [left, right] = [first, last];
  while (left < right) {
    const pivot = keys[(left + right) >> 1];
    let i = left;
    let n = right;
    while (i <= n) {
      while (keys[i] < pivot) i++;
      while (keys[n] > pivot) n--;
      if (i > n) break;
      const [point, key] = [order[i], keys[i]];
      order[i] = order[n];
      keys[i++] = keys[n];
      order[n] = point;
      keys[n--] = key;
    }
    if (k <= n) right = n;
    else if (k >= i) left = i;
    else return;
  }
}
