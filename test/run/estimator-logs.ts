/** What the tests of all estimators at once share, on the CPU and on a GPU. */

import type { EvaluateOptions } from '#dist/evaluate.js';
import type { EventLog } from '#dist/log/event-log.js';
import { skewedLog } from './thinned-log.js';

export const ALL_ESTIMATORS = {
  estimators: [
    ...(['snips', 'ips', 'ips-clip', 'snips-clip', 'dm', 'dr'] as const),
    ...(['dr-clip', 'switch-dr', 'dros', 'sndr', 'cressie-read'] as const),
  ],
  ...{ clip: 3, switch: 4, shrinkage: 10 },
} satisfies Partial<EvaluateOptions>;

const L = 300;

export const SKEWED: readonly (readonly [name: string, log: EventLog])[] = [
  ['contexts that are there again, pools of several sizes', skewedLog({ events: L })],
  ['a context per event, payoffs of several steps', skewedLog({ events: L, maxPayoff: 9, table: false })],
  ['one pool', skewedLog({ events: L, pools: false })],
];
