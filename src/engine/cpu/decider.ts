/** How policies decide, in one thread of the CPU engine. */

/** Choices (arms, or feature rows) at every cell, a policy after the other. */
export interface CellChoices {
  readonly choices: Uint16Array | Uint32Array;
  /** Where those of the first policy asked begin. */
  readonly from: number;
}

/** One per kind of policies. */
export interface Decider {
  /** Where every event is a cell of its own: whether cells are numbered as the log's events, or as the entries. */
  readonly inLogOrder: boolean;
  /** Choices of policies first..last−1; valid until the next call. */
  chooseCells(policies: readonly [number, number]): CellChoices;
  /** Adds the matches of policies in block b to the statistics; every event is a cell of its own. */
  matchBlock(b: number, policies: readonly [number, number]): void;
}
