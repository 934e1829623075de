/** How many events of a log are held at a time, from a bound on memory. Pure. */

import { InputError } from '../../errors.js';
import { plural } from '../../words.js';
import { eventsWithin, FEWEST_EVENTS, type Made } from './made.js';

/**
 * Batches that are in memory at a time: one that is worked on, one that is read meanwhile, and what the last one left
 * behind until it is collected.
 */
export const BATCHES_HELD = 3;

/** What an engine needs for an event of a batch beside its columns: cells and entries, and their numbering. */
const WORK_PER_EVENT = 128;

/**
 * What reading and evaluating add to the bare program, however small batches are (measured: test/large/stream.mjs): the heap's
 * young generation, decoded row groups, compiled code, and what waits to be collected; and a thread with its heap and kernels.
 */
const ENGINE_BYTES = 52e6;
const BYTES_PER_THREAD = 16e6;
/** With less of it than this a bound would be one by name only, and is refused. */
const LEAST_ENGINE_BYTES = 36e6;
/** Share of the memory that threads may take where their number is not given. */
const THREADS_SHARE = 0.25;

/** Bytes of the events of the smallest batch that is worth its overhead. */
const LEAST_BYTES = 4e6;

/** Most events of a batch: beyond it nothing gets faster, and progress and checkpoints come seldom. */
export const MOST_BATCH_EVENTS = 1 << 24;

/** What takes memory while a log is gone through. Bytes, unless said otherwise. */
export interface MemoryNeeds {
  /** Events of the log, L. */
  readonly events: number;
  readonly bytesPerEvent: number;
  /** Of choices that policies have for each event of a batch. */
  readonly choicesPerEvent: number;
  /** For estimators, of a batch. */
  readonly made: Made;
  /** What is held throughout, by name: the log's dictionaries, weights, statistics, states of learners. */
  readonly held: Readonly<Record<string, number>>;
  readonly threads: number;
  /** What the process holds before anything is read. */
  readonly program: number;
}

export interface BatchPlan {
  /** Events of a batch. */
  readonly size: number;
  /** The least memory with which the resident set stays below it. Bytes. */
  readonly least: number;
}

/**
 * Events of a batch, so that the process's resident set stays below `memory` bytes. Where that holds the work but not the
 * program as well, the smallest useful batches: the resident set is then about `least`.
 *
 * @throws InputError that names what is held where not even the work fits.
 */
export function planBatch(memory: number, needs: MemoryNeeds): BatchPlan {
  const { events, bytesPerEvent, choicesPerEvent, made, held, threads, program } = needs;
  const parts: Readonly<Record<string, number>> = {
    ...held,
    'reading and working': ENGINE_BYTES,
    // A single one is the program's own.
    ...(threads === 1 ? {} : { [`${plural(threads, 'thread')}`]: threads * BYTES_PER_THREAD }),
  };
  const fixed = Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);
  const perEvent = BATCHES_HELD * bytesPerEvent + WORK_PER_EVENT + choicesPerEvent;
  const whole = Math.max(1, events);
  const fewest = Math.min(whole, Math.max(FEWEST_EVENTS, eventsWithin(LEAST_BYTES, perEvent, made)));
  const work = fixed + fewest * (perEvent + made.perEvent) + Math.min(fewest, made.rows) * made.perRow;
  const least = program + work;
  const size = Math.max(fewest, eventsWithin(memory - program - fixed, perEvent, made));
  if (memory >= work - ENGINE_BYTES + LEAST_ENGINE_BYTES)
    return { size: Math.min(size, whole, MOST_BATCH_EVENTS), least };
  const list = Object.entries({ 'the program': program, ...parts }).map(
    ([name, bytes]) => `${name} ${megabytes(bytes)}`,
  );
  throw new InputError({
    problem: 'the work does not fit the memory that it may take',
    got: megabytes(memory),
    needed: `${megabytes(least)}: ${list.join(', ')}, and ${plural(fewest, 'event')} of the log`,
    hint: 'a larger --memory, fewer policies or learners at a time, fewer blocks, or fewer --threads',
  });
}

/** Threads where their number is not given: so many that they leave memory for the rest. @param room bytes beyond the program. */
export function boundedThreads(room: number | null, available: number): number {
  if (room === null) return available;
  return Math.max(1, Math.min(available, Math.floor((room * THREADS_SHARE) / BYTES_PER_THREAD)));
}

export function megabytes(bytes: number): string {
  return bytes < 1e5 ? `${Math.ceil(bytes / 100) / 10} kB` : `${Math.ceil(bytes / 1e5) / 10} MB`;
}

/** @throws InputError for options of streaming that are not usable. */
export function checkStreaming(options: { readonly stretchEvents?: number; readonly checkpointEvery?: number }): void {
  const { stretchEvents = 1, checkpointEvery = 1 } = options;
  if (!(Number.isSafeInteger(stretchEvents) && stretchEvents >= 1)) {
    const needed = 'a whole number of events, at least 1';
    throw new InputError({ problem: 'option stretchEvents is not usable', got: String(stretchEvents), needed });
  }
  if (!(Number.isFinite(checkpointEvery) && checkpointEvery >= 0)) {
    const needed = 'a number of seconds, at least 0';
    throw new InputError({ problem: 'option checkpointEvery is not usable', got: String(checkpointEvery), needed });
  }
}

/** Whether a log is to be gone through in batches, by the options that ask for it. */
export function inBatches(options: {
  readonly memory?: unknown;
  readonly stretchEvents?: unknown;
  readonly resume?: unknown;
}): boolean {
  return [options.memory, options.stretchEvents, options.resume].some((option) => option !== undefined);
}

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 };
const LEAST_MEMORY = 1 << 20;

/**
 * Bytes of `2GB`, `512MB`, `1.5 GiB` or a number.
 *
 * @throws InputError for anything else, and below a megabyte.
 */
export function parseMemory(memory: number | string): number {
  return parseSize('memory', memory, LEAST_MEMORY, 'a size of at least 1 MiB, such as 2GB or 512MB');
}

/** The same for another option. @throws InputError for anything else, and below `least`. */
export function parseSize(option: string, size: number | string, least: number, needed: string): number {
  const [, digits = '', unit = '', binary] = /^(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?$/i.exec(String(size).trim()) ?? [];
  const power = Math.log10(UNITS[unit.toLowerCase()] ?? 1) / 3;
  const bytes = digits === '' ? Number.NaN : Math.floor(Number(digits) * (binary ? 1024 : 1000) ** power);
  if (Number.isSafeInteger(bytes) && bytes >= least) return bytes;
  throw new InputError({ problem: `option ${option} is not usable`, got: String(size), needed });
}
