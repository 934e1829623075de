/** The first look at a log, batch by batch: what must be known of all its events before any policy is evaluated. */

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
import type { ReadNeed } from '../log/stream.js';

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

  /** What the next batch is read for. */
  get need(): ReadNeed {
    const counts = this.contexts === null && this.estimator?.survey === undefined;
    const decided = this.repeated.decided && this.copied.decided && this.constant.decided;
    return counts && decided ? 'count' : 'all';
  }

  /** Batches come in the order of the log. */
  add(batch: EventLog): void {
    this.uniformity.add(batch);
    this.arms.add(batch);
    this.time.add(batch);
    this.repeated.add(batch);
    this.copied.add(batch);
    this.constant.add(batch);
    this.contexts?.add(batch);
    this.scaling?.add(batch);
    this.estimator?.survey?.(batch);
    this.blocks.count(batch);
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
