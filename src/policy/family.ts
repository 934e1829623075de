/** What a family of fixed policies must provide. One folder per family; one line in `families.ts`. */

import type { z } from 'zod';
import type { EventLog } from '../log/event-log.js';
import type { PolicyBatch } from './batch.js';

/** Reads files that a spec names; paths are relative to the policy file. Keeps Node out of the families. */
export interface SpecFiles {
  /** Path as it is shown in messages. */
  resolve(path: string): string;
  /** Whole file as bytes. @throws InputError where it cannot be read. */
  bytes(path: string): Promise<Uint8Array>;
  /** All rows of a Parquet file: numeric columns as they are, others as text. @throws InputError */
  parquet(
    path: string,
  ): Promise<{ columns: readonly string[]; rows: number; data: readonly ArrayLike<number | string | null>[] }>;
}

/** Where in a policy set an entry stands, for messages: `set.json, [3]`. */
export interface SpecPlace {
  readonly file: string | undefined;
  /** JSON path of the entry, e.g. `[3]`. */
  readonly path: string;
}

export interface PolicyFamily<Spec extends { family: string }> {
  readonly name: Spec['family'];
  /** One line for `--help`, the README table and the JSON Schema. */
  readonly summary: string;
  /** Validates an entry of a policy set. */
  readonly schema: z.ZodType<Spec>;
  /** Log columns that policies of this entry look up by value, so that readers keep them. */
  keyColumns(spec: Spec): readonly string[];
  /** Packs the entry's policies for a log. @throws InputError that names the place and both shapes. */
  compile(spec: Spec, log: EventLog, files: SpecFiles, place: SpecPlace): Promise<PolicyBatch>;
}
