/** Host side of groups.as.ts: one instance with a memory of its own. */

import { GROUPS_WASM } from './groups.generated.js';
import { compileOnce, instantiate, Layout } from './memory.js';
import type { PolicyBound } from './screen.js';

interface Exports {
  place(
    weights: number,
    dimension: number,
    rows: number,
    apart: number,
    chunk: number,
    lists: number,
    opens: number,
    blocks: number,
    numbers: number,
    sumPairs: number,
    pairs: number,
    doubtful: number,
    capacity: number,
  ): void;
  begin(norm: number, slack: number, sums: number): void;
  add(from: number, to: number): void;
  matchTrees(
    headers: number,
    headerBytes: number,
    count: number,
    list: number,
    length: number,
    flat: number,
    counts: number,
  ): number;
}

/** Sizes of the regions that a kernel instance needs. */
interface GroupShape {
  readonly rows: number;
  readonly dimension: number;
  /** Words of the largest chunk. */
  readonly words: number;
  /** Words of a tree's header. */
  readonly header: number;
  /** Policies that are added up at a time, blocks, and pairs of numbers of a slot: sums, and all. */
  readonly policies: number;
  readonly blocks: number;
  readonly sumPairs: number;
  readonly pairs: number;
  /** Slots that the doubtful list holds. */
  readonly doubtful: number;
}

/** Lists of rows: one for each level of a tree, and that of all rows. */
const LISTS = 10;

const module = compileOnce(GROUPS_WASM);

/** f32 SIMD kernel with typed views of its memory. */
export class GroupKernel {
  /** Trees of the current chunk. */
  readonly chunk: Uint32Array;
  /** Weights of the current policy [rows][d]. */
  readonly weights: Float32Array;
  /** Candidate rows in the order in which they are tried. */
  readonly list: Uint32Array;
  /** What is added up, [policies][blocks][2 · pairs][low word, high word]. */
  readonly sums: Uint32Array;
  readonly doubtful: Uint32Array;
  /** Doubtful slots, events that were looked at, scores of quads of events, scores of quads of boxes. */
  readonly counts: Uint32Array;
  private readonly regions: Readonly<Record<'apart' | 'lists' | 'opens', number>>;
  private readonly exports: Exports;

  constructor(private readonly shape: GroupShape) {
    const { rows, dimension, policies, blocks, pairs } = shape;
    const layout = new Layout();
    const sumWords = policies * blocks * pairs * 4;
    const weights = layout.region(rows * dimension * 4);
    this.regions = {
      apart: layout.region(rows * dimension * 4),
      lists: layout.region(LISTS * rows * 4 + 4),
      opens: layout.region(LISTS * rows * 4),
    };
    const list = layout.region(rows * 4);
    const sums = layout.region(sumWords * 4);
    const doubtful = layout.region(shape.doubtful * 4);
    const counts = layout.region(16);
    // Three quads more are read where a tree's last box lacks them.
    const chunk = layout.region(shape.words * 4 + 48 * (dimension + 1));
    const memory = layout.memory();
    this.chunk = new Uint32Array(memory.buffer, chunk, shape.words);
    this.weights = new Float32Array(memory.buffer, weights, rows * dimension);
    this.list = new Uint32Array(memory.buffer, list, rows);
    this.sums = new Uint32Array(memory.buffer, sums, sumWords);
    this.doubtful = new Uint32Array(memory.buffer, doubtful, shape.doubtful);
    this.counts = new Uint32Array(memory.buffer, counts, 4);
    this.exports = instantiate<Exports>(module(), memory);
  }

  /** Takes another chunk. @param blocksAt where the blocks of its slots lie. @param numbersAt where their numbers do. */
  load(words: Uint32Array, blocksAt: number, numbersAt: number): void {
    const { chunk, shape, regions } = this;
    chunk.set(words);
    this.exports.place(
      this.weights.byteOffset,
      shape.dimension,
      shape.rows,
      regions.apart,
      chunk.byteOffset,
      regions.lists,
      regions.opens,
      chunk.byteOffset + blocksAt * 4,
      chunk.byteOffset + numbersAt * 4,
      shape.sumPairs,
      shape.pairs,
      this.doubtful.byteOffset,
      this.doubtful.length,
    );
  }

  /** Begins with the weights on the chunk. @param policy that sums are added for. */
  begin({ norm, slack }: PolicyBound, policy: number): void {
    const { blocks, pairs } = this.shape;
    this.exports.begin(norm, slack, this.sums.byteOffset + policy * blocks * pairs * 16);
    this.counts.fill(0);
  }

  /**
   * Goes on with trees from..to−1, among the first `length` rows of `list`.
   *
   * @param flat without looking at boxes.
   * @returns false where too many are doubtful: then the policy's sums are incomplete.
   */
  match(from: number, to: number, length: number, flat: boolean): boolean {
    const { chunk, list, counts, shape } = this;
    const headers = chunk.byteOffset + from * shape.header * 4;
    const [count, header] = [to - from, shape.header * 4];
    return (
      this.exports.matchTrees(headers, header, count, list.byteOffset, length, flat ? 1 : 0, counts.byteOffset) !== 0
    );
  }

  /** Adds the numbers of a slot to the policy's sums. */
  add(slot: number): void {
    this.exports.add(slot, slot + 1);
  }
}
