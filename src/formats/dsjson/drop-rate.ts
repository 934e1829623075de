/** Events that the service itself dropped. */

import { InputError } from '../../errors.js';
import type { EventPlace } from '../decisions/collector.js';
import { badRow, shown } from '../decisions/rows.js';

/**
 * `pdrop`, the share of events that the service dropped. One rate for all is a fair sample; where rates differ, rates of
 * events, and so of payoffs, would be those of no traffic at all.
 */
export class DropRate {
  private rate: number | null = null;

  /** @throws RowFault for no rate, InputError for another one than before. */
  check(pdrop: unknown, { file, line }: EventPlace): void {
    const rate = pdrop ?? 0;
    if (typeof rate !== 'number' || !(rate >= 0 && rate < 1))
      badRow({
        problem: 'pdrop is not a probability below 1',
        path: 'pdrop',
        got: shown(JSON.stringify(rate)),
        needed: '0 to 1, less than 1',
      });
    this.rate ??= rate;
    if (rate === this.rate) return;
    throw new InputError({
      file,
      line,
      path: 'pdrop',
      problem: 'events were dropped at different rates, so that they are no fair sample',
      got: `pdrop ${rate}, after ${this.rate} in the events before`,
      needed: 'one rate for all events of a log',
      hint: 'split the log by pdrop, and read each part by itself',
    });
  }
}
