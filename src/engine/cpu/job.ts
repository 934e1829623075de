/** Compiled policies on one log, as the CPU engine's threads see it. */

import type { BlockStatistics } from '../../estimate/sums/block-statistics.js';
import type { EventLog } from '../../log/event-log.js';
import type { CompiledPolicies } from '../../policy/compiled.js';
import type { DecisionLog } from '../../policy/scored-family.js';
import type { Worklist } from '../worklist.js';
import type { ChoiceLists } from './choice-lists.js';
import type { Groups } from './groups/trees.js';

/** Everything a task reads, and the statistics it writes to. Structured-cloneable: large arrays lie on shared memory. */
export interface CpuJob {
  readonly log: DecisionLog & Pick<EventLog, 'events' | 'firstEvent'>;
  readonly compiled: CompiledPolicies;
  readonly worklist: Worklist;
  /** Where choices are looked up. */
  readonly lists: readonly ChoiceLists[] | null;
  /** Where events are decided in groups. */
  readonly groups: Groups | null;
  readonly stats: BlockStatistics;
}
