/** How events are cut into blocks. */

/**
 * An assignment of every event to one block. `order` lists the events block by block (ascending within a block);
 * `null`: the events' own order, i.e. blocks are runs of consecutive events.
 */
export interface BlockPlan {
  /** B */
  readonly blocks: number;
  /** Block b holds positions `starts[b] .. starts[b+1])` of `order`. Length B + 1. */
  readonly starts: Float64Array;
  readonly order: Uint32Array | null;
  /** How the blocks were made, for the result: `{ kind: 'run' }`, `{ kind: 'period', milliseconds }`, `{ kind: 'user' }`. */
  readonly description: { readonly kind: 'run' | 'period' | 'user'; readonly milliseconds?: number };
  /** Label of each block (`2009-05-01T00:00:00Z`, …); `null` for runs. */
  readonly labels: readonly string[] | null;
}

/** Default number of blocks: enough to resample, few enough to keep thousands of policies in memory. */
export const DEFAULT_BLOCKS = 64;

/** Largest block that keeps Σ k below 2⁵³ for every 32-bit k. */
export const MAX_BLOCK_EVENTS = 1 << 21;

/** Cuts L events into B runs of nearly equal length (lengths differ by at most one). B is raised where a run would be too long, and lowered to L for short logs. */
export function runBlocks(events: number, blocks = DEFAULT_BLOCKS): BlockPlan {
  const needed = Math.ceil(events / MAX_BLOCK_EVENTS);
  const count = Math.max(1, Math.min(Math.max(blocks, needed), events));
  const starts = new Float64Array(count + 1);
  for (let b = 0; b <= count; b++) starts[b] = Math.floor((events * b) / count);
  return { blocks: count, starts, order: null, description: { kind: 'run' }, labels: null };
}

/** n[b] of a plan. */
export function blockEvents(plan: BlockPlan): Float64Array {
  return Float64Array.from({ length: plan.blocks }, (_, b) => plan.starts[b + 1] - plan.starts[b]);
}
