/** Events that are kept until all are known: a log in memory. */

import { wholeLog } from '../../log/build/whole-log.js';
import type { EventLog } from '../../log/event-log.js';
import type { DecisionCollector } from './collector.js';
import { DecisionColumns } from './decision-columns.js';
import type { CountedSource } from './reading.js';
import { VocabularySurvey } from './survey.js';
import type { DecidedEvent, EventTaker } from './taken-events.js';

export class CollectedEvents implements EventTaker {
  private readonly survey: VocabularySurvey;
  private readonly columns: DecisionColumns;

  /** @param collector whose events these are. */
  constructor(collector: DecisionCollector) {
    this.survey = new VocabularySurvey(collector, true);
    this.columns = new DecisionColumns(this.survey.contexts ?? undefined);
  }

  get events(): number {
    return this.columns.events;
  }

  take(event: DecidedEvent): void {
    this.columns.take(event, this.survey.take(event));
  }

  /** @throws InputError where there are too many columns, or an unknown key, or payoffs that no scale takes. */
  finish(source: CountedSource): EventLog {
    const log = this.survey.finish(source);
    return wholeLog({ ...log.head, source }, this.columns.emit(log));
  }
}
