/** A batch of a log: consecutive events as columns, in the layout that the whole log has. What readers emit and writers take. */

/** A dictionary that a column refers to. */
export interface Levels {
  readonly as: 'text' | 'index';
  readonly levels: readonly string[];
}

/** What batches have columns for. */
export interface BatchLayout {
  readonly arms: Levels;
  /** A column of payoff steps beside the payoffs. */
  readonly steps: boolean;
  readonly propensity: boolean;
  readonly time: boolean;
  readonly pool: boolean;
  readonly sourceRow: boolean;
  readonly user: Levels | null;
  readonly keys: readonly (Levels & { readonly name: string })[];
  readonly contexts: {
    /** Events refer to rows of a table; else they have a column per feature. */
    readonly table: boolean;
    readonly values: 'f32' | 'f64';
    readonly columns: readonly string[];
  };
}

/** The columns of consecutive events. */
export interface EventBatch {
  readonly events: number;
  readonly arm: Uint32Array;
  readonly payoff: Float64Array;
  /** Needed where the layout has steps. */
  readonly steps: Uint32Array | null;
  readonly propensity: Float64Array | null;
  readonly time: Float64Array | null;
  readonly pool: Uint32Array | null;
  readonly sourceRow: Uint32Array | null;
  readonly user: Uint32Array | null;
  readonly keys: readonly Uint32Array[];
  /** Dense rows [events, d], or row numbers. */
  readonly context: Float32Array | Float64Array;
  readonly contextRow: Uint32Array | null;
}

/** Texts are written out up to this many levels: each row group repeats those it uses, and the reader looks each up. */
const MOST_TEXTS = 4096;

/** How a column refers to these levels: by text where people can read it and UTF-8 can hold it. */
export function referTo(levels: readonly string[]): Levels {
  const asText = levels.length <= MOST_TEXTS && levels.every((level) => utf8Text(level) === level);
  return { as: asText ? 'text' : 'index', levels };
}

/** A text as UTF-8 holds it: lone surrogates become U+FFFD. */
export function utf8Text(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

const MOST_EVENTS = 1 << 16;
const LEAST_EVENTS = 1 << 12;
const BATCH_BYTES = 1 << 22;

/** Events of a batch, for events of so many bytes: a power of two. */
export function batchEvents(bytes: number): number {
  let events = MOST_EVENTS;
  while (events > LEAST_EVENTS && events * bytes > BATCH_BYTES) events /= 2;
  return events;
}
