/**
 * A tree of boxes over events of one pool and one logged arm (or row), in words as `../wasm/groups.as.ts` reads them. A box holds
 * all contexts of its events; where some arm's score is above the logged one's in all of it, or no arm's can be, its events are
 * decided without being looked at. With choice tables a tree is of events of one pool and one block, as `../wasm/choices.as.ts` reads
 * it: where one arm's score is above all others' in all of a box, it is chosen at all of its events.
 *
 * The bound. Let x be in the box with centre c and half-widths h, N ≥ ‖c‖ + ‖h‖, u = 2⁻²⁴ and δ = w_b − w_a, of weights rounded
 * to f32 and then rounded itself: within 2u(1 + u) of the exact difference, relative to |w_a| + |w_b|. A dot product of length d
 * adds d roundings: the computed δ · c is within 2 γ_{d+2} ‖w‖ ‖c‖ of its exact value, Σ |δ_j| h_j within 2 γ_{d+2} ‖w‖ ‖h‖ of its own,
 * ‖w‖ the largest norm of a row, and δ · x of an event, rounded as well, within 2 γ_{d+3} ‖w‖ ‖x‖. The sum and the difference of the
 * former two are rounded once more, so that what is compared is within 2 γ_{d+3} ‖w‖ N of a bound on δ · x. That is less than what
 * a screen (`policy/screen.ts`) grants a context of norm N: 2 γ_{d+8} ‖w‖ N, and what the reference may err by. Where differences of
 * two arms from a third are compared with each other, both may be as far off: twice that is granted.
 */

import { normOf, roundUp } from '../../../policy/linear/kernel.js';
import type { Screen } from '../../../policy/screen.js';

/**
 * Words of a header: row (or, with choice tables, what its block adds to an address of sums), first slot, events, top level, boxes of
 * that, then where each level lies in the chunk, in bytes; as the last where its choice tables lie.
 */
export const HEADER_WORDS = 16;
const LEVELS_AT = 5;
/** Most events of a tree: 4⁷. */
export const MOST_EVENTS = 4 ** 7;

/** Events of the smallest boxes, level 1, at most; those of the next level hold four of them, and so on. */
export const BOX_EVENTS = 16;

/** Boxes of each level, after the events. */
function boxesOf(events: number): number[] {
  const boxes = [events, Math.ceil(events / BOX_EVENTS)];
  while (boxes[boxes.length - 1] > 4) boxes.push(Math.ceil(boxes[boxes.length - 1] / 4));
  return boxes;
}

/** Words of the levels of a tree. */
export function levelWords(events: number, d: number): number {
  return boxesOf(events).reduce((sum, boxes, level) => sum + Math.ceil(boxes / 4) * quadWords(level, d), 0);
}

function quadWords(level: number, d: number): number {
  return 4 * ((level === 0 ? d : 2 * d) + 1);
}

/** Where a tree goes. */
export interface TreePlace {
  /** Words of its chunk, as whole numbers and as f32. */
  readonly words: Uint32Array;
  readonly floats: Float32Array;
  readonly header: number;
  /** Its first level. */
  readonly levels: number;
  /** Its first slot in the chunk. */
  readonly slot: number;
  /** What its events have in common, as its header has it, and where its choice tables lie in the chunk. */
  readonly part: number;
  readonly tables: number;
}

/** Events of a group: contexts [n][d], in f64 as they are given, and their norms. */
export interface GroupContexts {
  readonly y: Float64Array;
  readonly norm: Float64Array;
}

/** Boxes of a level: the least and greatest of each feature, [n][d], and the largest norm of a context. */
interface Boxes {
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly norm: Float64Array;
}

/** Writes trees; keeps scratch memory between calls. */
export class TreeWriter {
  /** Largest N of a box so far. */
  norm = 0;
  /** By level. */
  private readonly levels: Boxes[] = [];
  private readonly centre: Float64Array;
  private readonly width: Float64Array;

  constructor(private readonly screen: Screen) {
    [this.centre, this.width] = [new Float64Array(screen.dimension), new Float64Array(screen.dimension)];
  }

  /** @param order events of the group that the tree is of, in the order of its boxes. */
  write(place: TreePlace, group: GroupContexts, order: Uint32Array): void {
    const { dimension: d } = this.screen;
    const { words, floats, header, levels, slot, part } = place;
    const boxes = boxesOf(order.length);
    const top = boxes.length - 1;
    words.set([part, slot, order.length, top, boxes[top]], header);
    words[header + HEADER_WORDS - 1] = place.tables * 4;
    words[header + LEVELS_AT] = levels * 4;
    this.writeEvents(floats, levels, group, order);
    for (let l = 1, at = levels; l <= top; l++) {
      at += Math.ceil(boxes[l - 1] / 4) * quadWords(l - 1, d);
      words[header + LEVELS_AT + l] = at * 4;
      if (l > 1) this.joinBoxes(l, boxes[l - 1], boxes[l]);
      this.writeBoxes(floats, at, l, boxes[l]);
    }
  }

  /** Writes the events, and puts their boxes into level 1. */
  private writeEvents(floats: Float32Array, at: number, { y, norm }: GroupContexts, order: Uint32Array): void {
    const { screen } = this;
    const { dimension: d } = screen;
    const boxes = this.boxes(1, Math.ceil(order.length / BOX_EVENTS));
    boxes.low.fill(Number.POSITIVE_INFINITY);
    boxes.high.fill(Number.NEGATIVE_INFINITY);
    for (let first = 0, box = 0; first < order.length; first += BOX_EVENTS, box++) {
      const end = Math.min(order.length, first + BOX_EVENTS);
      let most = 0;
      for (let i = first; i < end; i++) {
        const event = order[i];
        if (norm[event] > most) most = norm[event];
        const record = at + (i >> 2) * 4 * (d + 1) + (i & 3);
        for (let j = 0; j < d; j++) {
          const value = y[event * d + j];
          floats[record + j * 4] = value;
          if (value < boxes.low[box * d + j]) boxes.low[box * d + j] = value;
          if (value > boxes.high[box * d + j]) boxes.high[box * d + j] = value;
        }
      }
      boxes.norm[box] = most;
      const factor = screen.errorFactor(most);
      for (let i = first; i < end; i++) floats[at + (i >> 2) * 4 * (d + 1) + d * 4 + (i & 3)] = factor;
    }
  }

  /** Makes boxes of a level of those below. */
  private joinBoxes(level: number, inside: number, count: number): void {
    const { dimension: d } = this.screen;
    const { low, high, norm } = this.levels[level - 1];
    const boxes = this.boxes(level, count);
    boxes.low.fill(Number.POSITIVE_INFINITY);
    boxes.high.fill(Number.NEGATIVE_INFINITY);
    boxes.norm.fill(0);
    for (let i = 0; i < inside; i++) {
      const box = i >> 2;
      for (let j = 0; j < d; j++) {
        if (low[i * d + j] < boxes.low[box * d + j]) boxes.low[box * d + j] = low[i * d + j];
        if (high[i * d + j] > boxes.high[box * d + j]) boxes.high[box * d + j] = high[i * d + j];
      }
      if (norm[i] > boxes.norm[box]) boxes.norm[box] = norm[i];
    }
  }

  private writeBoxes(floats: Float32Array, at: number, level: number, count: number): void {
    const { screen, centre, width } = this;
    const { dimension: d } = screen;
    const { low, high, norm } = this.levels[level];
    for (let i = 0; i < count; i++) {
      const record = at + (i >> 2) * quadWords(level, d) + (i & 3);
      for (let j = 0; j < d; j++) {
        const [least, greatest] = [low[i * d + j], high[i * d + j]];
        centre[j] = Math.fround((least + greatest) / 2);
        // Rounded up twice: the difference in f64, and that to f32.
        width[j] = roundUp(Math.max(greatest - centre[j], centre[j] - least) * (1 + 2 ** -40));
        floats[record + 8 * j] = centre[j];
        floats[record + 8 * j + 4] = width[j];
      }
      const most = Math.max(norm[i], (normOf(centre, 0, d) + normOf(width, 0, d)) * (1 + 2 ** -40));
      if (!(most <= this.norm)) this.norm = most;
      floats[record + 8 * d] = screen.errorFactor(most);
    }
  }

  private boxes(level: number, count: number): Boxes {
    const d = this.screen.dimension;
    const known = this.levels[level];
    if (known !== undefined && known.norm.length >= count) return known;
    const corners = (): Float64Array => new Float64Array(count * d);
    const made = { low: corners(), high: corners(), norm: new Float64Array(count) };
    this.levels[level] = made;
    return made;
  }
}
