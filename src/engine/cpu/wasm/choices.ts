/** Host side of choices.as.ts: one instance with a memory of its own. */

import { CHOICES_WASM } from './choices.generated.js';
import { compileOnce, instantiate, Layout } from './memory.js';
import type { PolicyBound } from './screen.js';

interface Exports {
  place(
    weights: number,
    dimension: number,
    most: number,
    chunk: number,
    lists: number,
    opens: number,
    uppers: number,
    logged: number,
    numbers: number,
    sumPairs: number,
    pairs: number,
    doubtful: number,
    capacity: number,
  ): void;
  begin(norm: number, slack: number, sums: number): void;
  chooseTrees(headers: number, headerBytes: number, trees: number, places: number, counts: number): number;
  settle(slot: number, header: number, place: number, places: number, sums: number): void;
}

/** Sizes of the regions that a kernel instance needs. */
interface ChoiceShape {
  /** Most places of a pool. */
  readonly places: number;
  readonly dimension: number;
  /** Words of the largest chunk. */
  readonly words: number;
  /** Words of a tree's header. */
  readonly header: number;
  /** Policies that are added up at a time, blocks, and pairs of numbers of a slot, sums and all, and of a block. */
  readonly policies: number;
  readonly blocks: number;
  readonly sumPairs: number;
  readonly pairs: number;
  readonly blockPairs: number;
  /** Slots that the doubtful list holds. */
  readonly doubtful: number;
}

/** Levels of a tree, and one. */
const LEVELS = 10;

const module = compileOnce(CHOICES_WASM);

/** f32 SIMD kernel with typed views of its memory. */
export class ChoiceKernel {
  /** Trees of the current chunk. */
  readonly chunk: Uint32Array;
  /** Weights of the current policy for the places of a pool, [places][d]. */
  readonly weights: Float32Array;
  /** What is added up, [policies][blocks][2 · blockPairs][low word, high word]. */
  readonly sums: Uint32Array;
  /** (slot, its tree) of what is in doubt. */
  readonly doubtful: Uint32Array;
  /** Doubtful slots, events that were looked at, scores of quads of events, scores of quads of boxes. */
  readonly counts: Uint32Array;
  private readonly regions: Readonly<Record<'lists' | 'opens' | 'uppers', number>>;
  private readonly exports: Exports;
  /** Where the sums of the policy lie. */
  private sumsAt = 0;

  constructor(private readonly shape: ChoiceShape) {
    const { places, dimension, policies, blocks, blockPairs } = shape;
    const layout = new Layout();
    const sumWords = policies * blocks * blockPairs * 4;
    const weights = layout.region(places * dimension * 4);
    this.regions = {
      // One place more is written than is kept.
      lists: layout.region(LEVELS * (places + 1) * 4),
      opens: layout.region(LEVELS * (places + 1) * 4),
      uppers: layout.region(places * 16),
    };
    const sums = layout.region(sumWords * 4);
    const doubtful = layout.region(shape.doubtful * 8);
    const counts = layout.region(16);
    // Three quads more are read where a tree's last box lacks them.
    const chunk = layout.region(shape.words * 4 + 48 * (dimension + 1));
    const memory = layout.memory();
    this.chunk = new Uint32Array(memory.buffer, chunk, shape.words);
    this.weights = new Float32Array(memory.buffer, weights, places * dimension);
    this.sums = new Uint32Array(memory.buffer, sums, sumWords);
    this.doubtful = new Uint32Array(memory.buffer, doubtful, shape.doubtful * 2);
    this.counts = new Uint32Array(memory.buffer, counts, 4);
    this.exports = instantiate<Exports>(module(), memory);
  }

  /** Takes another chunk. @param loggedAt where the logged places of its slots lie. @param numbersAt where their numbers do. */
  load(words: Uint32Array, loggedAt: number, numbersAt: number): void {
    const { chunk, shape, regions } = this;
    chunk.set(words);
    this.exports.place(
      this.weights.byteOffset,
      shape.dimension,
      shape.places,
      chunk.byteOffset,
      regions.lists,
      regions.opens,
      regions.uppers,
      chunk.byteOffset + loggedAt * 4,
      chunk.byteOffset + numbersAt * 4,
      shape.sumPairs,
      shape.pairs,
      this.doubtful.byteOffset,
      this.doubtful.length / 2,
    );
  }

  /** Begins a policy on the chunk. @param policy that sums are added for. */
  begin({ norm, slack }: PolicyBound, policy: number): void {
    const { blocks, blockPairs } = this.shape;
    this.sumsAt = this.sums.byteOffset + policy * blocks * blockPairs * 16;
    this.exports.begin(norm, slack, this.sumsAt);
    this.counts.fill(0);
  }

  /**
   * Goes on with trees from..to−1, of a pool of so many places, with the weights of these.
   *
   * @returns false where too many are doubtful: then the policy's sums are incomplete.
   */
  choose(from: number, to: number, places: number): boolean {
    const { header } = this.shape;
    const counts = this.counts.byteOffset;
    return this.exports.chooseTrees(this.header(from), header * 4, to - from, places, counts) !== 0;
  }

  /** Adds what a doubtful slot chooses, of a pool of so many places. */
  settle(doubt: number, place: number, places: number): void {
    const { doubtful, sumsAt } = this;
    this.exports.settle(doubtful[2 * doubt], doubtful[2 * doubt + 1], place, places, sumsAt);
  }

  private header(tree: number): number {
    return this.chunk.byteOffset + tree * this.shape.header * 4;
  }
}
