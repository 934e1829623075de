/** Events that come again: the same EventId. */

import type { Fault } from '../../errors.js';
import { type FirstSeen, hashOf, type SeenIds } from '../../log/build/seen-ids.js';
import { RepeatedIds } from '../../log/checks/repeated-ids.js';
import type { EventPlace } from '../decisions/collector.js';
import type { JsonObject } from './json.js';

/** An event that was there before. */
interface Again {
  readonly before: FirstSeen;
  readonly content: number;
  readonly fault: Fault;
}

export class RepeatedEvents {
  private readonly repeated = new RepeatedIds('an EventId', 'actions, probabilities and costs');

  constructor(private readonly ids: SeenIds) {}

  /** What to say of an event that was there before; `null`: it was not, or has no id. */
  again(event: JsonObject): Again | null {
    const id = idOf(event);
    const before = id === null ? null : this.ids.find(...hashOf(id));
    if (before === null) return null;
    const content = contentOf(event);
    const fault = {
      problem: 'EventId is repeated',
      path: 'EventId',
      got: `${JSON.stringify(id).slice(0, 80)}, ${this.repeated.describe(before, content)}`,
      needed: 'an event once',
    };
    return { before, content, fault };
  }

  /** Takes an event of the log. */
  take(event: JsonObject, { file, row, line }: EventPlace, again: Again | null): void {
    const id = idOf(event);
    if (id !== null && again === null) this.ids.add(...hashOf(id), row, contentOf(event));
    if (again !== null)
      this.repeated.take(
        () => `${file}, line ${line}: ${JSON.stringify(id).slice(0, 80)}`,
        again.before,
        again.content,
      );
  }

  warnings(): string[] {
    return this.repeated.warnings();
  }
}

export function idOf({ EventId: id }: JsonObject): string | null {
  return typeof id === 'string' && id !== '' ? id : null;
}

/** Of what was decided and what came of it. */
function contentOf({ a, p, _label_cost, _label_probability, _labelIndex, _label_Action, o }: JsonObject): number {
  return hashOf(JSON.stringify([a, p, _label_cost, _label_probability, _labelIndex, _label_Action, o]))[0];
}
