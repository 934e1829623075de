/** The first look at a log, stretch by stretch: what must be known of all its events before any policy is evaluated. */

import type { Archive, Carried } from '../archive.js';
import type { BlockMaker } from '../estimate/block-stretches.js';
import { ContextSurvey } from '../log/context-sizes.js';
import { EffectiveArms } from '../log/effective-arms.js';
import type { EventLog } from '../log/event-log.js';
import { TimeSpan } from '../log/time-span.js';
import { UniformityCounts } from '../log/uniformity.js';

export class Survey implements Carried {
  readonly uniformity: UniformityCounts;
  readonly arms = new EffectiveArms();
  readonly time = new TimeSpan();
  /** `null`: nobody asks. */
  readonly contexts: ContextSurvey | null;

  /** @param head of the log. @param events of all of it. */
  constructor(
    head: EventLog,
    events: number,
    readonly blocks: BlockMaker,
    contexts = false,
  ) {
    this.contexts = contexts ? new ContextSurvey(head) : null;
    this.uniformity = new UniformityCounts(head, events);
  }

  /** Stretches come in the order of the log. */
  add(stretch: EventLog): void {
    this.uniformity.add(stretch);
    this.arms.add(stretch);
    this.time.add(stretch);
    this.contexts?.add(stretch);
    this.blocks.count(stretch);
  }

  carry(archive: Archive): void {
    this.uniformity.carry(archive);
    this.arms.carry(archive);
    this.time.carry(archive);
    this.contexts?.carry(archive);
    this.blocks.carry(archive);
  }
}
