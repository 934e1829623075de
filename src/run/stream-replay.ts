/** What a run of learners on a log is asked for, and what it finds. */

import type { EngineReport } from '../engine/contract.js';
import type { ReplayOutcome, ReplayRules, ReplayWork } from '../engine/learner-contract.js';
import type { Verification } from '../engine/verify/learners.js';
import type { BlockOutline } from '../estimate/blocks/block-makers.js';
import type { BlockStatistics } from '../estimate/sums/block-statistics.js';
import type { ScaleMethod, Scaling } from '../learner/scaling.js';
import type { requireUniform } from '../log/checks/uniformity.js';
import type { LogRunOptions } from './log-run.js';
import type { Survey } from './survey.js';

export interface ReplayStreamOptions extends LogRunOptions {
  readonly rules: ReplayRules;
  readonly repeats: number;
  /** How contexts are scaled; `null`: they are not. */
  readonly scale: ScaleMethod | null;
  /** Bring back retained events and final states. */
  readonly retained: boolean;
  readonly state: boolean;
  readonly verify?: boolean | number;
  readonly verifyTolerance: number;
  readonly onProgress?: (progress: ReplayStreamProgress) => void;
}

export interface ReplayStreamProgress {
  phase: 'load' | 'replay' | 'verify';
  done: number;
  total: number | null;
}

export interface StreamReplay {
  readonly survey: Survey;
  readonly outline: BlockOutline;
  readonly uniformity: ReturnType<typeof requireUniform>;
  readonly work: ReplayWork;
  readonly outcome: ReplayOutcome;
  /** Payoffs over all events, matched or not, as statistics of one replica. */
  readonly logged: BlockStatistics;
  /** How columns were scaled; `null`: they were not. */
  readonly scaling: Scaling | null;
  readonly engine: EngineReport & { fallback: string | null; verified: Verification | null };
  /** About checkpoints. */
  readonly warnings: readonly string[];
}
