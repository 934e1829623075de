/** What a run of policies on a log is asked for, and what it finds. */

import type { EngineReport } from '../engine/contract.js';
import type { BlockMaker, BlockOutline } from '../estimate/blocks/block-makers.js';
import type { EventLevels } from '../estimate/blocks/levels.js';
import type { Estimates } from '../estimate/estimates.js';
import type { BlockStatistics } from '../estimate/sums/block-statistics.js';
import type { requireUniform } from '../log/checks/uniformity.js';
import type { RewardModel } from '../reward-model/contract.js';
import type { LogRunOptions } from './log-run.js';
import type { EvaluatedPolicies } from './policy-sums.js';
import type { Survey } from './survey.js';

export interface EvaluateStreamOptions extends LogRunOptions {
  /** T of Algorithm 1; `null`: Algorithm 2. */
  readonly validEvents: number | null;
  /** What policies are estimated by; `uniform`: in its place unless propensities say that arms were uneven. */
  readonly estimates: Estimates;
  readonly uniform?: () => Estimates;
  /** What estimators predict payoffs by. */
  readonly model: RewardModel | null;
  /** Whatever estimates depend on, for checkpoints. */
  readonly estimated: object;
  /** Levels that results are told apart by. */
  readonly levels: (blocks: BlockMaker) => EventLevels | null;
  /** Compare this many policies with the CPU reference. */
  readonly verify?: number;
  /** Told the names of all policies before the first is evaluated. */
  readonly checkNames?: (names: readonly string[]) => void;
  readonly onProgress?: (progress: { phase: 'load' | 'evaluate'; done: number; total: number | null }) => void;
}

/** Policies on some events: those of the log, or of a level. */
export interface Evaluation {
  readonly evaluated: readonly EvaluatedPolicies[];
  /** Payoffs over all of these events, matched or not, as statistics of one policy. */
  readonly logged: BlockStatistics;
  /** L / Σ 1/|A_t| */
  readonly effectiveArms: number;
}

export interface StreamEvaluation extends Evaluation {
  readonly survey: Survey;
  readonly outline: BlockOutline;
  readonly uniformity: ReturnType<typeof requireUniform>;
  /** Those that were used. */
  readonly estimates: Estimates;
  /** V; 0: none were asked for. */
  readonly levels: number;
  /** The policies on the events of a level. */
  readonly ofLevel: (level: number) => Evaluation;
  readonly engine: EngineReport & { fallback: string | null; verified: number | null };
  /** Of random policies. */
  readonly seeds: readonly number[];
  /** About policies. */
  readonly warnings: readonly string[];
}
