/** Events that the service itself dropped. */

import { badRow, shown } from '../decisions/rows.js';

/** `pdrop`: the share of events like this one that the service dropped. @throws RowFault for no share below 1. */
export function dropRateOf(pdrop: unknown): number {
  const rate = pdrop ?? 0;
  if (typeof rate === 'number' && rate >= 0 && rate < 1) return rate + 0;
  return badRow({
    problem: 'pdrop is not a probability below 1',
    path: 'pdrop',
    got: shown(JSON.stringify(rate)),
    needed: '0 to 1, less than 1',
  });
}
