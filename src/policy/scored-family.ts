/** What a family whose policies score candidates must provide beside what every family does. One line in `scored-families.ts`. */

import type { ContextCells } from '../log/cells.js';
import type { ArmFeatureTable, EventLog } from '../log/event-log.js';
import type { ScoredPolicies } from './compiled.js';
import type { Screen } from './screen.js';

/** What of a log the decisions of scored policies depend on. */
export interface DecisionLog {
  readonly contexts: Pick<EventLog['contexts'], 'dimension' | 'values' | 'row'>;
  readonly pools: EventLog['pools'];
  /** `null` where the log has none, or the policies do not read them. */
  readonly armFeatures: Pick<ArmFeatureTable, 'dimension' | 'rows' | 'values' | 'row'> | null;
}

export interface ScoredFamily<Policies extends ScoredPolicies> {
  /** What is scored, and what choices name: arms, or feature rows (arms as an event shows them). */
  readonly scores: 'arms' | 'rows';
  /** Sets of events at which a policy must choose alike. */
  cells(compiled: Policies, log: EventLog): ContextCells;
  /** Names of what the weights weigh, in their order. */
  columns(compiled: Policies, log: EventLog): readonly string[];
  /** The reference: arm index that a policy chooses at an event. */
  choice(compiled: Policies, log: DecisionLog, policy: number, event: number): number;
  /** Scores of the event's candidates in f64, as `choice` compares them, into `out`. */
  scoreCandidates(compiled: Policies, log: DecisionLog, policy: number, event: number, out: Float64Array): void;
  /** How f32 may screen the policies. Cheap: weights are made when they are asked for. */
  screen(compiled: Policies, log: DecisionLog): Screen;
}
