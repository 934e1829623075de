/** How a run is cut into parts: a pure function of the log, of what is run, and of the number of parts. */

import { InputError } from '../../errors.js';
import type { BlockStatistics } from '../../estimate/sums/block-statistics.js';
import type { PartWork } from '../engine-work.js';
import type { AskedRun } from './header.js';

/** A part of a run. */
export interface PartNumber {
  /** 1..of */
  readonly number: number;
  readonly of: number;
}

/** What a part, or parts, are told from others by, beside what checkpoints are. */
export interface Parted {
  /** `null`: all of the work. */
  readonly part: PartNumber | null;
  /** Options that results depend on. */
  readonly asked: AskedRun['options'] | null;
  /** File of what is counted of the whole log. */
  readonly counts?: string;
}

/** A part, and what all parts of its run share. */
export interface PartOfRun {
  readonly part: PartNumber;
  /** The run as it was asked for, which is kept with the part. */
  readonly asked: AskedRun;
  /** File of what is counted of the whole log. */
  readonly counts?: string;
}

/** What a part works on: policies [from, to), or every `step`-th replica of these, on events [from, to). */
export interface PartSpan {
  readonly rows: readonly [from: number, to: number];
  /** Default: 1. */
  readonly step?: number;
  readonly events: readonly [from: number, to: number];
}

/** What is cut. */
export interface PartedWork {
  /** P, or R of replicas. */
  readonly rows: number;
  /** L */
  readonly events: number;
  /** Events share contexts, in which a policy is decided once, however many events have them. */
  readonly shared: boolean;
  /** What a row comes to depends on the order of its matches over the whole log. */
  readonly ordered: boolean;
}

/** Sums of a part: those of each entry's policies in the blocks that have events of the part. */
export interface PartSums {
  /** Blocks of the run, ascending. */
  readonly blocks: Uint32Array;
  /** [P, blocks.length] of each entry; one after the other, they are the span's rows. */
  readonly tables: readonly BlockStatistics[];
}

/** A part that was evaluated. */
export interface MadePart {
  readonly span: PartSpan;
  readonly sums: PartSums;
  /** What the engine did. */
  readonly work: PartWork;
  /** Policies that were compared with the reference; `null`: none was asked for. */
  readonly verified: number | null;
  /** What replicas did beside their sums. */
  readonly state?: string;
}

/** Rows per part from which parts of rows are balanced: the largest is at most 1.05 times the mean. */
const BALANCED_ROWS = 20;
const MOST_PARTS = 100_000;

/**
 * Parts are of events, which differ by one event at most. Where events share contexts, parts of events would each decide for nearly all
 * of them, so that there parts are of policies, if there are enough for them to be even.
 */
export function spanOf({ number, of }: PartNumber, { rows, events, shared, ordered }: PartedWork): PartSpan {
  const cut = (size: number): readonly [number, number] => [
    Math.floor((size * (number - 1)) / of),
    Math.floor((size * number) / of),
  ];
  const byRows = shared && !ordered && rows >= BALANCED_ROWS * of;
  return byRows ? { rows: cut(rows), events: [0, events] } : { rows: [0, rows], events: cut(events) };
}

/** Replicas of part i: i, i + N, …, so that every part has about as many of each setting. */
export function replicasOf<Replica>({ number, of }: PartNumber, replicas: readonly Replica[]): Replica[] {
  return replicas.filter((_, row) => row % of === number - 1);
}

/** @throws InputError unless 1 ≤ number ≤ of. */
export function checkPart({ number, of }: PartNumber): void {
  const whole = Number.isSafeInteger(number) && Number.isSafeInteger(of);
  if (whole && number >= 1 && number <= of && of <= MOST_PARTS) return;
  throw new InputError({
    problem: 'there is no such part of a run',
    got: `${number}/${of}`,
    needed: `part i of N as i/N, with 1 ≤ i ≤ N ≤ ${MOST_PARTS}`,
    hint: '--part 3/64',
  });
}

/** `3/64` */
export function partText({ number, of }: PartNumber): string {
  return `${number}/${of}`;
}
