/** The first look at a log, batch by batch: what must be known of all its events before any policy is evaluated. */

import type { Archive, Carried } from '../archive.js';
import type { BlockMaker } from '../estimate/blocks/block-makers.js';
import type { EventLevels } from '../estimate/blocks/levels.js';
import type { Estimates } from '../estimate/estimates.js';
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
import type { RewardModel } from '../reward-model/contract.js';

const PASSES = ['count', 'weigh', 'fit', 'measure'] as const;

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
  /** `null`: blocks are not told apart by levels. */
  readonly levels: EventLevels | null;

  /** `null`: learners, which are replayed. */
  private readonly estimates: Estimates | null;
  /** Estimates are for logs whose propensities turn out not to be uniform. */
  private readonly unlessUniform: boolean;
  /** `null`: no estimator goes by one. */
  private readonly model: RewardModel | null;
  /** What events are seen for: all that is counted, weights alone, the reward model once more, or how large its predictions are. */
  private pass: (typeof PASSES)[number] = 'count';

  /** @param head of the log. @param events of all of it. */
  constructor(
    head: EventLog,
    events: number,
    readonly blocks: BlockMaker,
    {
      contexts = false,
      scale = null,
      levels = null,
      estimates = null,
      unlessUniform = false,
      model = null,
    }: {
      contexts?: boolean;
      scale?: ScaleMethod | null;
      levels?: EventLevels | null;
      estimates?: Estimates | null;
      unlessUniform?: boolean;
      model?: RewardModel | null;
    } = {},
  ) {
    this.levels = levels;
    this.estimates = estimates;
    this.unlessUniform = unlessUniform;
    this.model = model;
    this.contexts = contexts ? new ContextSurvey(head) : null;
    this.scaling = scale === null ? null : new ScalingSurvey(head, scale);
    this.uniformity = new UniformityCounts(head, events);
    this.repeated = new RepeatedRows(head, events);
    this.copied = new CopiedColumns(head);
    this.constant = new ConstantPayoff(head);
  }

  /** What the next batch is read for. */
  get need(): ReadNeed {
    if (this.pass !== 'count') return 'all';
    const counts = this.contexts === null && (this.unlessUniform || this.estimates?.surveys !== true);
    const decided = this.repeated.decided && this.copied.decided && this.constant.decided;
    return counts && decided ? 'count' : 'all';
  }

  /** Batches come in the order of the log, pass by pass. */
  add(batch: EventLog): void {
    const { model, estimates } = this;
    if (this.pass === 'measure') {
      if (model !== null) estimates?.surveyModel(batch, model.predict(batch));
      return;
    }
    if (this.pass === 'fit' || this.pass === 'count') {
      if (model !== null && !model.fitted) model.add(batch);
      if (this.pass === 'fit') return;
    }
    if (estimates?.surveys === true && this.unlessUniform === (this.pass === 'weigh')) estimates.survey(batch);
    if (this.pass === 'weigh') return;
    this.uniformity.add(batch);
    this.arms.add(batch);
    this.time.add(batch);
    this.repeated.add(batch);
    this.copied.add(batch);
    this.constant.add(batch);
    this.contexts?.add(batch);
    this.scaling?.add(batch);
    this.blocks.count(batch);
    this.levels?.count(batch);
  }

  /** All events were seen. @returns true: they must be seen once more. */
  again(): boolean {
    const { model } = this;
    if (this.pass === 'count' && this.unlessUniform && this.uniformity.saysUneven) {
      this.pass = 'weigh';
      return true;
    }
    if (model === null || this.pass === 'measure') return false;
    this.pass = !model.fitted && model.endPass() ? 'fit' : 'measure';
    return true;
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
    this.estimates?.carry(archive);
    this.model?.carry(archive);
    this.pass = PASSES[archive.number(PASSES.indexOf(this.pass))];
    this.blocks.carry(archive);
    this.levels?.carry(archive);
  }
}
