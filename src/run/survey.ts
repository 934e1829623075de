/** The first look at a log, stretch by stretch: what must be known of all its events before any policy is evaluated. */

import type { Archive, Carried } from '../archive.js';
import type { BlockMaker } from '../estimate/blocks/block-makers.js';
import type { EstimatorRun } from '../estimate/estimators/estimator.js';
import { type ScaleMethod, ScalingSurvey } from '../learner/scaling.js';
import { EffectiveArms } from '../log/build/effective-arms.js';
import { TimeSpan } from '../log/build/time-span.js';
import { ConstantPayoff } from '../log/checks/constant-payoff.js';
import { CopiedColumns } from '../log/checks/copied-columns.js';
import { RepeatedRows } from '../log/checks/repeated-rows.js';
import { UniformityCounts } from '../log/checks/uniformity.js';
import { ContextSurvey } from '../log/context-sizes.js';
import type { EventLog } from '../log/event-log.js';
import type { StretchNeed } from '../log/stream.js';

export class Survey implements Carried {
  readonly uniformity: UniformityCounts;
  readonly arms = new EffectiveArms();
  readonly time = new TimeSpan();
  readonly repeated: RepeatedRows;
  readonly copied: CopiedColumns;
  readonly constant: ConstantPayoff;
  /** `null`: no learner depends on them. */
  readonly contexts: ContextSurvey | null;
  /** `null`: contexts stay as they are. */
  readonly scaling: ScalingSurvey | null;

  /** `null`: learners, which are replayed. */
  private readonly estimator: EstimatorRun | null;

  /** @param head of the log. @param events of all of it. */
  constructor(
    head: EventLog,
    events: number,
    readonly blocks: BlockMaker,
    {
      contexts = false,
      scale = null,
      estimator = null,
    }: { contexts?: boolean; scale?: ScaleMethod | null; estimator?: EstimatorRun | null } = {},
  ) {
    this.estimator = estimator;
    this.contexts = contexts ? new ContextSurvey(head) : null;
    this.scaling = scale === null ? null : new ScalingSurvey(head, scale);
    this.uniformity = new UniformityCounts(head, events);
    this.repeated = new RepeatedRows(head, events);
    this.copied = new CopiedColumns(head);
    this.constant = new ConstantPayoff(head);
  }

  /** What the next stretch is read for. */
  get need(): StretchNeed {
    const counts = this.contexts === null && this.estimator?.survey === undefined;
    const settled = this.repeated.settled && this.copied.settled && this.constant.settled;
    return counts && settled ? 'count' : 'all';
  }

  /** Stretches come in the order of the log. */
  add(stretch: EventLog): void {
    this.uniformity.add(stretch);
    this.arms.add(stretch);
    this.time.add(stretch);
    this.repeated.add(stretch);
    this.copied.add(stretch);
    this.constant.add(stretch);
    this.contexts?.add(stretch);
    this.scaling?.add(stretch);
    this.estimator?.survey?.(stretch);
    this.blocks.count(stretch);
  }

  carry(archive: Archive): void {
    this.uniformity.carry(archive);
    this.arms.carry(archive);
    this.time.carry(archive);
    this.repeated.carry(archive);
    this.copied.carry(archive);
    this.constant.carry(archive);
    this.contexts?.carry(archive);
    this.scaling?.carry(archive);
    this.estimator?.carry(archive);
    this.blocks.carry(archive);
  }
}
