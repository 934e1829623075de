/** What a family of fixed policies must provide. One folder per family; one line in `families.ts`. */

import type { z } from 'zod';
import type { Carried } from '../archive.js';
import { TimeSpan } from '../log/build/time-span.js';
import type { EventLog } from '../log/event-log.js';
import type { InputFile } from '../log/inputs.js';
import type { AnyPolicies } from './drawn/drawn.js';

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
  /** What was read so far, the file of the specs first, each file once. */
  readonly inputs?: readonly InputFile[];
}

/** Where in a policy set an entry stands, for messages: `set.json, [3]`. */
export interface SpecPlace {
  readonly file: string | undefined;
  /** JSON path of the entry, e.g. `[3]`. */
  readonly path: string;
}

/** What is known of a log before its events are gone through batch by batch. */
export interface LogSpan {
  /** The log without its events. */
  readonly head: EventLog;
  /** L of the whole log. */
  readonly events: number;
  /** Times of the whole log. */
  readonly time: TimeSpan;
}

/** Packs an entry's policies for one batch of a log after the other; carries what it found on the way. */
export interface PolicyCompiler extends Carried {
  /** P */
  readonly policies: number;
  /** They draw their arm: a choice mixed with uniform draws, otherwise, or of the logged arms alone it is known how. Absent: they choose. */
  readonly draws?: 'mixture' | 'otherwise' | 'logged';
  /** An earlier entry of the set whose choices it mixes too. */
  readonly like?: number;
  /** Bytes that are held throughout: weights, a file of choices. */
  readonly held: number;
  /** Bytes that the policies take for each event of a batch, at most. */
  readonly perEvent: number;
  /** The policies on a batch, batches in the order of the log. @throws InputError as `PolicyFamily.compile` */
  compile(batch: EventLog): Promise<AnyPolicies>;
  /** When all batches have passed: whole sentences for the result. */
  warnings(): readonly string[];
}

export interface PolicyFamily<Spec extends { family: string }> {
  readonly name: Spec['family'];
  /** One line for `--help`, the table of policies and the JSON Schema. */
  readonly summary: string;
  /** Validates an entry of a policy set. */
  readonly schema: z.ZodType<Spec>;
  /** Whether policies compute with the numbers of a context, so that they would choose otherwise were those scaled. */
  readonly computes: boolean;
  /** Log columns that policies of this entry look up by value, so that readers keep them. */
  keyColumns(spec: Spec): readonly string[];
  /** Packs the entry's policies for a log. @throws InputError that names the place and both shapes. */
  compile(spec: Spec, log: EventLog, files: SpecFiles, place: SpecPlace): Promise<AnyPolicies>;
  /** Absent where what `compile` makes of the head serves every batch: where policies do not depend on events. */
  open?(spec: Spec, span: LogSpan, files: SpecFiles, place: SpecPlace): Promise<PolicyCompiler>;
}

/** `compile` of a family that has `open`: a log in one batch. */
export async function compileWhole(compiler: (span: LogSpan) => Promise<PolicyCompiler>, log: EventLog) {
  const one = await compiler({ head: log, events: log.events, time: new TimeSpan().add(log) });
  return { ...(await one.compile(log)), warnings: one.warnings() };
}
