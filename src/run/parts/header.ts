/** What stands in the metadata of the file of a part: which part of which run it is, and what its columns are. */

import { z } from 'zod';
import type { PartWork } from '../engine-work.js';

/** Keys in the metadata of the file: the header, and the SHA-256 of its text. */
export const HEADER_KEY = 'hindcast.part';
export const CHECK_KEY = 'hindcast.part.sha256';
/** Version of the format that this program writes and reads. */
export const PART_VERSION = 1;

const count = z.int().min(0);
const range = z.tuple([count, count]).readonly();

export const headerSchema = z.strictObject({
  version: z.literal(PART_VERSION),
  command: z.enum(['evaluate', 'replay']),
  part: z.strictObject({ number: z.int().min(1), of: z.int().min(1) }),
  /** What the run is, part by part in words for messages: parts of one run have the same. */
  identity: z.record(z.string(), z.string()),
  /**
   * The run as it was asked for, for whoever puts the parts together: the command line, files by path, and the options that
   * results depend on.
   */
  asked: z.strictObject({ command: z.string(), paths: z.looseObject({}), options: z.looseObject({}) }),
  /** What was worked on: policies (or replicas of all parts together) and events, from and behind. */
  span: z.strictObject({ rows: range, step: z.int().min(1).optional(), events: range }),
  /** Blocks that have events of the part, ascending. */
  blocks: z.array(count),
  /** Policies of one entry of the set, one table behind the other: their number and the names of their columns of sums. */
  tables: z.array(z.strictObject({ rows: count, columns: z.array(z.string()) })),
  /** What the engine did. */
  work: z.looseObject({
    device: z.enum(['cpu', 'gpu']),
    adapter: z.string(),
    threads: count,
    done: z.looseObject({
      ...{ settledOnCpu: count, decisions: count, seconds: z.number() },
      lanes: z.looseObject({ events: count, slots: count, looks: count, settled: count }).nullable(),
      inGroups: count.nullable(),
      fallback: z.string().nullable(),
    }),
    onCpu: z.array(z.string()).optional(),
  }),
  /** Policies that were compared with the reference; `null`: none was asked for. */
  verified: count.nullable(),
  /** State of replicas beside the sums, in base64. */
  state: z.string().optional(),
  /** SHA-256 of the columns, in hexadecimal. */
  sha256: z.string(),
});

type Header = z.infer<typeof headerSchema>;

export interface PartHeader extends Omit<Header, 'work'> {
  readonly work: PartWork;
}

/** A run as it was asked for on the command line. */
export type AskedRun = Header['asked'];
