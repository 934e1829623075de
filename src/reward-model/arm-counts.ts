/** Events of every fold and arm: an arm whose training events are none is predicted by λ alone. */

import type { Archive } from '../archive.js';
import type { EventLog } from '../log/event-log.js';
import { plural } from '../words.js';

/** Arms named in a warning. */
const NAMED = 5;

export class ArmCounts {
  /** [F, K] */
  private readonly counts: Float64Array;

  constructor(
    private readonly head: EventLog,
    private readonly folds: number,
  ) {
    this.counts = new Float64Array(folds * head.arms.ids.length);
  }

  /** @param fold of each event of the batch. */
  add({ arm, events }: EventLog, fold: Uint32Array): void {
    const arms = this.head.arms.ids.length;
    for (let t = 0; t < events; t++) this.counts[fold[t] * arms + arm[t]]++;
  }

  /** @param answer what is predicted for an arm without events, in words. */
  warnings(answer: string): string[] {
    const { ids } = this.head.arms;
    const never: string[] = [];
    let sometimes = 0;
    ids.forEach((id, a) => {
      const own = Array.from({ length: this.folds }, (_, f) => this.counts[f * ids.length + a]);
      const logged = own.reduce((sum, n) => sum + n, 0);
      if (logged === 0) never.push(id);
      else if (this.folds > 1 && own.includes(logged)) sometimes++;
    });
    const warnings: string[] = [];
    if (never.length > 0) {
      const more = never.length > NAMED ? `, and ${never.length - NAMED} more` : '';
      const names = never.slice(0, NAMED).map((id) => JSON.stringify(id));
      warnings.push(
        `${plural(never.length, 'arm')} (${names.join(', ')}${more}) ${never.length === 1 ? 'was' : 'were'} never logged: the reward model predicts ${answer}, and nothing in the log corrects it`,
      );
    }
    if (sometimes > 0) {
      warnings.push(
        `${plural(sometimes, 'arm')} ${sometimes === 1 ? 'has all its events' : 'have all their events'} in one fold: for the events of that fold the reward model predicts ${answer}`,
      );
    }
    return warnings;
  }

  carry(archive: Archive): void {
    archive.array(this.counts);
  }
}
