/** What decides scored policies in f64, as the reference does, where f32 cannot or need not. */

/** One per family; runs in one thread. */
export interface ExactPolicies {
  /**
   * Adds the matches of policies at entries start..start+count−1, which are cells of block b, to the statistics.
   *
   * @param count at most the chunk that it was made for.
   */
  match(policies: readonly number[], b: number, start: number, count: number): void;
  /**
   * Writes the choices (arms, or feature rows) of policies at cells start..start+count−1: of policies[n] from
   * out[places[n]] on.
   *
   * @param count at most the chunk that it was made for.
   */
  choose(policies: readonly number[], start: number, count: number, out: Uint32Array, places: readonly number[]): void;
}
