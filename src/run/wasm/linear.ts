/** Host side of linear.as.ts: one instance with a memory of its own, laid out region by region. */

import { LINEAR_WASM } from './linear.generated.js';

interface Exports {
  matchQuads(
    x: number,
    w: number,
    d: number,
    list: number,
    listLength: number,
    logged: number,
    steps: number,
    from: number,
    to: number,
    sums: number,
  ): void;
  chooseQuads(
    x: number,
    w: number,
    d: number,
    list: number,
    listLength: number,
    from: number,
    to: number,
    choices: number,
  ): void;
}

/** Sizes of the regions that a kernel instance needs. */
export interface LinearShape {
  arms: number;
  dimension: number;
  /** Largest number of quads (four events each) in a chunk. */
  quads: number;
}

const PAGE = 65536;

/** Padding of a quad in `logged`: never matches. */
export const PAD = 0xffffffff;

/** Bytes of one module compiled once per thread. */
let compiled: WebAssembly.Module | undefined;

function module(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(Uint8Array.from(atob(LINEAR_WASM), (c) => c.charCodeAt(0)));
  return compiled;
}

/** SIMD kernel for linear policies with typed views of its memory. */
export class LinearKernel {
  /** Contexts [quads][d][4]. */
  readonly x: Float64Array;
  /** Weights of the current policy [K][d]. */
  readonly weights: Float64Array;
  /** Candidate arms in trial order; one place more than K. */
  readonly list: Uint32Array;
  readonly logged: Uint32Array;
  readonly steps: Uint32Array;
  /** Chosen arm of each event, written by `choose`. */
  readonly choices: Uint32Array;
  /** Matches, Σ k, Σ high word of k², Σ low word of k². */
  readonly sums: BigUint64Array;
  private readonly exports: Exports;
  private readonly dimension: number;

  constructor({ arms, dimension, quads }: LinearShape) {
    // Regions one after another, each 16-byte aligned; the module itself uses the first page at most.
    let at = PAGE;
    const region = (bytes: number): number => {
      const start = at;
      at += Math.ceil(bytes / 16) * 16;
      return start;
    };
    const x = region(quads * dimension * 32);
    const weights = region(arms * dimension * 8);
    const list = region((arms + 1) * 4);
    const logged = region(quads * 16);
    const steps = region(quads * 16);
    const choices = region(quads * 16);
    const sums = region(32);
    const memory = new WebAssembly.Memory({ initial: Math.ceil(at / PAGE) });
    this.x = new Float64Array(memory.buffer, x, quads * dimension * 4);
    this.weights = new Float64Array(memory.buffer, weights, arms * dimension);
    this.list = new Uint32Array(memory.buffer, list, arms + 1);
    this.logged = new Uint32Array(memory.buffer, logged, quads * 4);
    this.steps = new Uint32Array(memory.buffer, steps, quads * 4);
    this.choices = new Uint32Array(memory.buffer, choices, quads * 4);
    this.sums = new BigUint64Array(memory.buffer, sums, 4);
    this.dimension = dimension;
    // The stub runtime asks for an abort import even though nothing in the module can abort.
    const imports = {
      env: {
        memory,
        abort: () => {
          throw new Error('the linear kernel aborted');
        },
      },
    };
    this.exports = new WebAssembly.Instance(module(), imports).exports as unknown as Exports;
  }

  /** Adds matches of quads from..to−1 to `sums`, trying the first `listLength` arms of `list`. */
  match(from: number, to: number, listLength: number): void {
    // The kernel reads arms in pairs.
    if (listLength > 0) this.list[listLength] = this.list[listLength - 1];
    this.exports.matchQuads(
      this.x.byteOffset,
      this.weights.byteOffset,
      this.dimension,
      this.list.byteOffset,
      listLength,
      this.logged.byteOffset,
      this.steps.byteOffset,
      from,
      to,
      this.sums.byteOffset,
    );
  }

  /** Writes `choices` of quads from..to−1; `list` must be ascending. */
  choose(from: number, to: number, listLength: number): void {
    this.exports.chooseQuads(
      this.x.byteOffset,
      this.weights.byteOffset,
      this.dimension,
      this.list.byteOffset,
      listLength,
      from,
      to,
      this.choices.byteOffset,
    );
  }
}
