/** What the codes of a file become where several packed logs are read as one. */

/** The new code of each old one; `null`: codes stay as they are. */
export type Codes = Uint32Array | null;

/** Contexts: as they are, or as row numbers of a table under other numbers. */
export type ContextRecoding =
  | { readonly kind: 'same'; readonly codes: Codes }
  /** A table of the file that is none of the log: its rows are written out. */
  | { readonly kind: 'dense'; readonly values: Float32Array | Float64Array }
  /** Dense rows of the file, which are in a table of the log: the row of each event. */
  | { readonly kind: 'events'; readonly rows: Uint32Array };

export interface Recoding {
  readonly arm: Codes;
  readonly pool: Codes;
  /** Pool of all the file's events, where they have no column of pools. */
  readonly onePool: number | null;
  readonly user: Codes;
  /** In the order of the log's keys; absent: they stay as they are. */
  readonly keys?: readonly Codes[];
  readonly context: ContextRecoding;
  /** Added to the rows of the file's events. */
  readonly rowOffset: number;
  /** Row of the file's event 0, where event t is t rows on; `null`: the file has a column of rows. */
  readonly firstRow: number | null;
}

/** A file that is a log of its own. */
export const UNCHANGED: Recoding = {
  arm: null,
  pool: null,
  onePool: null,
  user: null,
  context: { kind: 'same', codes: null },
  rowOffset: 0,
  firstRow: null,
};

/** The new code. @throws RangeError for what is no code of the file. */
export function recoded(codes: Uint32Array, code: number): number {
  if (code < codes.length) return codes[code];
  throw new RangeError(`code ${code} of ${codes.length}`);
}

/** Codes that change nothing as such. */
export function simplified(codes: Uint32Array): Codes {
  return codes.every((code, i) => code === i) ? null : codes;
}
