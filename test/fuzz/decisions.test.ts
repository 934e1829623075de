/** The judges of VowpalWabbit text and dsjson find what they are there for. */

import { describe, expect, it } from 'vitest';
import type { EventLog } from '#dist/log/event-log.js';
import { targetOf } from './targets.mjs';

const WRONG: readonly (readonly [string, (log: EventLog) => EventLog, string])[] = [
  ['another arm', (log) => ({ ...log, arm: log.arm.map((a) => (a + 1) % log.arms.ids.length) }), 'the arm is'],
  [
    'another payoff',
    (log) => ({ ...log, payoff: { ...log.payoff, steps: log.payoff.steps.map((k) => k + 1) } }),
    'the payoff is',
  ],
  [
    'another propensity',
    (log) => ({ ...log, propensity: new Float64Array(log.events).fill(0.125) }),
    'the propensity is',
  ],
  [
    'other features',
    (log) => ({ ...log, contexts: { ...log.contexts, values: log.contexts.values.map((x) => x + 1) } }),
    'the context is',
  ],
  ['a lost row', (log) => ({ ...log, events: log.events - 1 }), 'left out of'],
  ['a row that is not counted', (log) => ({ ...log, source: { ...log.source, rows: 1 } }), '1 rows, not'],
];

describe.each(['vw-cb', 'vw-adf', 'dsjson'])('the judge of %s', (name) => {
  it.each(WRONG)('finds %s', async (_, change, message) => {
    const { read, check, seeds } = await targetOf(name);
    const seed = seeds[name === 'vw-cb' ? 2 : name === 'vw-adf' ? 2 : 1];
    const log = read(seed, {});
    expect(() => check(log, seed, {})).not.toThrow();
    expect(() => check(change(log), seed, {})).toThrow(message);
  });
});
