/** What becomes of events that are complete: each is told to one of these. */

/** An event in the collector's numbers. */
export interface DecidedEvent {
  /** Features of the context, as `FeatureBag.appendTo` makes them. */
  readonly context: readonly number[];
  readonly arm: number;
  /** A candidate set, or `ALL_ARMS`. */
  readonly pool: number;
  readonly payoff: number;
  readonly propensity: number;
  /** Milliseconds since 1970; `null` where the row has none. */
  readonly time: number | null;
  /** At which others like it were dropped. */
  readonly dropRate: number;
  /** Over all files. */
  readonly row: number;
}

export interface EventTaker {
  /** L so far. */
  readonly events: number;
  take(event: DecidedEvent): void;
}
