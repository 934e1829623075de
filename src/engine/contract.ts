/**
 * The contract of an engine: given a log, a block plan, compiled policies and what is to be added up, return
 * block statistics. Integer results are the same for any engine, adapter, chunk size, thread count and block split.
 */

import type { BlockPlan } from '../estimate/blocks/blocks.js';
import type { DrawMaxima, DrawProblem } from '../estimate/selection/draws.js';
import type { BlockStatistics } from '../estimate/sums/block-statistics.js';
import type { Summand } from '../estimate/sums/summands.js';
import type { EventLog } from '../log/event-log.js';
import type { CompiledPolicies } from '../policy/compiled.js';

/** How an engine reports on itself, in every result. */
export interface EngineReport {
  /** Where it ran. */
  device: 'cpu' | 'gpu';
  /** Adapter description, or the CPU's description. */
  adapter: string;
  /** Worker threads used by the CPU engine (also where it settled a GPU's doubtful decisions). */
  threads: number;
  /** (policy, cell) decisions that the GPU left to the CPU because f32 could not prove them. */
  settledOnCpu: number;
  /** Decisions asked for: policies × events. */
  decisions: number;
  /** Decisions that were made for whole groups of events, on the CPU engine; absent: events were decided one by one. */
  inGroups?: number;
  /** Seconds spent in the engine. */
  seconds: number;
  /** Learners on a GPU: how its lanes were used. */
  lanes?: LaneUse;
  /** Learners that the CPU engine replayed beside the GPU: without a kernel, or on contexts that take more digits. */
  onCpu?: readonly string[];
  /** Parts of the run, evaluated by themselves and put together: what is said here is of all of them. Absent: there were none. */
  parts?: number;
  /** Where memory was bounded. */
  memory?: MemoryUse;
}

/** The report of an engine that has done nothing yet. */
export function newReport(device: EngineReport['device'], adapter: string, threads: number): EngineReport {
  return { device, adapter, threads, settledOnCpu: 0, decisions: 0, seconds: 0 };
}

/** Resident memory of the process, in bytes. */
export interface MemoryUse {
  /** What was allowed. */
  limit: number;
  /** The least that would have held: below it the smallest batches were used, and the limit may have been exceeded. 0: not planned. */
  least: number;
  /** The largest resident set of the process so far; `null` where the platform does not tell. */
  peak: number | null;
}

/** How the lanes of a GPU were used in a replay of learners. */
export interface LaneUse {
  /** Events that replicas consumed. */
  events: number;
  /** Events that lanes scored: windows × lanes × events of a lane. `events` over this is the use of the lanes. */
  slots: number;
  /** Times that lanes looked for the first match. */
  looks: number;
  /** Decisions that a lane left to all lanes: what f32 left in doubt (made in pairs), and every survivor of `thompson`'s screening. */
  settled: number;
}

/** What a call of an engine may be told. */
export interface RunOptions {
  /** Called with the number of decisions finished since the last call. */
  onProgress?: (decisions: number) => void;
  /** Memory is bounded: what is dead is collected when the work is done. */
  bounded?: boolean;
  /** Stops the run between chunks; the promise rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** An engine: decides for fixed policies and sums over their matches. */
export interface Backend {
  /** What it did so far. */
  readonly report: EngineReport;
  /** Statistics of policies on a log: a column of each summand. @throws EngineError where a device fails. */
  evaluate(
    log: EventLog,
    plan: BlockPlan,
    compiled: CompiledPolicies,
    summands: readonly Summand[],
    options?: RunOptions,
  ): Promise<BlockStatistics>;
  /** The largest of each draw over all policies. @throws EngineError where a device fails. */
  maxima(problem: DrawProblem, options?: Pick<RunOptions, 'signal'>): Promise<DrawMaxima>;
  /** Releases threads, buffers and the device if this backend made it. */
  close(): Promise<void>;
}
