/**
 * The header of a packed log: a JSON text in the metadata of the Parquet file that says what its columns mean. Tables that
 * grow with the log (dictionaries, pools, arm features, distinct contexts) are sections: bytes between the last row group
 * and the footer, which no Parquet column refers to and which other programs therefore skip.
 */

import { z } from 'zod';
import { InputError } from '../errors.js';

/** Key of the header in the metadata of the file. */
export const HEADER_KEY = 'hindcast.log';
/** Key of the CRC-32 of the header and of the file's table of contents, in hexadecimal. */
export const CHECK_KEY = 'hindcast.log.crc32';
/**
 * Version of the format that this program writes, and the latest that it reads; it reads all before. Version 2 says which
 * pool stands for all arms.
 */
export const PACKED_VERSION = 2;

const count = z.int().min(0);
const finite = z.number();

/** Bytes of a table: parts of at most `PART_BYTES`, each deflated where that makes it smaller. */
const section = z.strictObject({
  /** Where the first part begins in the file; the others follow. */
  offset: count,
  /** Length of the table. */
  bytes: count,
  /** Stored length and CRC-32 (of the stored bytes) of each part. A stored length equal to the part's own: not deflated. */
  parts: z.array(z.tuple([count, count])),
});

/** How a column refers to a dictionary: by the text itself, or by index where there are too many texts. */
const reference = z.enum(['text', 'index']);

const keyColumn = z.strictObject({ name: z.string(), as: reference, count, levels: section });

const scale = z.strictObject({
  rounded: z.boolean(),
  origin: z.int(),
  numerator: finite,
  denominator: finite,
  low: finite,
  high: finite,
  base: finite.optional(),
  span: finite.optional(),
});

export const headerSchema = z.strictObject({
  version: z.int().min(1).max(PACKED_VERSION),
  events: count,
  firstEvent: count.optional(),
  /** Per row group: events and CRC-32 of its bytes, as pairs of u32. */
  groups: z.strictObject({ count, table: section }),
  arms: z.strictObject({ count, as: reference, ids: section }),
  payoff: z.strictObject({
    scale,
    maxSteps: count,
    rangeBasis: z.enum(['declared', 'unit', 'observed']).optional(),
    rounding: z
      .strictObject({
        typical: z.number(),
        exact: z.strictObject({ step: z.number(), steps: z.number() }).nullable(),
      })
      .optional(),
    /** The file has a column of steps; else they follow from the payoffs. */
    steps: z.boolean(),
  }),
  contexts: z.strictObject({
    dimension: count,
    rows: count,
    values: z.enum(['f32', 'f64']),
    /** Distinct rows, which events refer to; `null`: a column per feature. */
    table: section.nullable(),
    columns: section,
  }),
  pools: z.strictObject({
    count,
    /** The file has a column of pools, which is read where `perEvent`. */
    column: z.boolean(),
    perEvent: z.boolean(),
    sizes: section,
    arms: section,
    /** As `PoolTable` has it. */
    allArms: count.nullable().optional(),
  }),
  propensity: z.boolean(),
  time: z.boolean(),
  user: keyColumn.omit({ name: true }).nullable(),
  keys: z.array(keyColumn),
  armFeatures: z
    .strictObject({ dimension: count, rows: count, values: section, row: section.nullable(), columns: section })
    .nullable(),
  /** Source rows: like pools. */
  sourceRow: z.strictObject({ column: z.boolean(), perEvent: z.boolean() }),
  /** As the log has it: what further versions of hindcast know of a log's source is kept. */
  source: z.looseObject({
    files: z.array(z.string()),
    format: z.string(),
    where: z.string().nullable(),
    rows: count.nullable(),
    badRows: z.array(z.looseObject({ kind: z.string(), count, first: z.string() })),
    warnings: z.array(z.string()).optional(),
  }),
});

export type PackedHeader = z.infer<typeof headerSchema>;
export type Section = z.infer<typeof section>;

/** @throws InputError where the header is of a version that this program does not know. */
export function checkVersion(text: string, file: string): void {
  const value = parse(text, file);
  const version = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined;
  if (typeof version === 'number' && version > PACKED_VERSION) {
    throw new InputError({
      file,
      problem: 'the packed log was written by a newer hindcast',
      got: `version ${version} of the format`,
      needed: `version ${PACKED_VERSION} or an earlier one`,
      hint: 'update hindcast, or convert the original log again with this one',
    });
  }
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw damaged(file, 'its header is not JSON', cause);
  }
}

/** Reads a header, whose text is known to be whole. @throws InputError where it is not valid. */
export function parseHeader(text: string, file: string): PackedHeader {
  const result = headerSchema.safeParse(parse(text, file));
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0];
  throw damaged(file, `its header is not valid at ${path.join('.') || 'the top'}: ${message}`);
}

/** A packed log that is not as it was written. */
export function damaged(file: string, got: string, cause?: unknown): InputError {
  return new InputError(
    {
      file,
      problem: 'the packed log is damaged',
      got,
      needed: 'the file as hindcast convert wrote it',
      hint: 'copy it again, or convert the original log again',
    },
    { cause },
  );
}
