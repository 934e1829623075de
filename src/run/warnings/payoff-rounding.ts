/** Refuses a log whose payoffs rounding would eat: a few of them dwarf the rest (see estimate/sums/rounding.ts). */

import { InputError } from '../../errors.js';
import type { Totals } from '../../estimate/sums/exact-sums.js';
import { stepSize, totalPayoff } from '../../estimate/sums/payoff-scale.js';
import {
  exactly,
  MOST_ROUNDING,
  percent,
  roundingOfTypical,
  roundingOfValue,
  shown,
} from '../../estimate/sums/rounding.js';
import type { EventLog } from '../../log/event-log.js';
import type { LogStream } from '../../log/stream.js';

/** Where half of the payoffs may lose more than this share of themselves, no policy needs to be looked at. */
const CLEAR = 1e-3;
/** Events that are looked through at a time. */
const EVENTS = 1 << 16;

/** Before any work. @throws InputError where most payoffs are small against the steps. */
export async function refuseRounded(stream: LogStream, signal?: AbortSignal): Promise<void> {
  const { scale, rounding } = stream.head.payoff;
  const share = roundingOfTypical(scale, rounding);
  if (share > CLEAR)
    throw await eaten(stream, `half of the payoffs other than 0 by up to ${percent(share)} of themselves`, signal);
}

/** Of policies, or of replicas of learners, whose totals are known. @throws InputError where a value may have been moved. */
export async function refuseMoved(
  stream: LogStream,
  rows: Iterable<{ readonly name: string; readonly sums: Totals }>,
  signal?: AbortSignal,
): Promise<void> {
  const { scale, rounding } = stream.head.payoff;
  if (!scale.rounded) return;
  let [worst, of] = [0, ''];
  for (const { name, sums } of rows) {
    const share = roundingOfValue(scale, rounding, sums);
    if (share > worst) [worst, of] = [share, name];
  }
  if (worst > MOST_ROUNDING)
    throw await eaten(stream, `the value of ${of} by up to ${percent(worst)} of its payoffs' size`, signal);
}

async function eaten(stream: LogStream, moved: string, signal?: AbortSignal): Promise<InputError> {
  const { head } = stream;
  const { scale, rounding } = head.payoff;
  const { value, row } = await farthest(stream, signal);
  const { files } = head.source;
  return new InputError({
    ...(files.length === 1 ? { file: files[0] } : {}),
    row,
    column: 'payoff',
    problem: 'one payoff is so large that rounding eats the others',
    got: `${value} among payoffs of about ${shown(rounding?.typical ?? 0)}: steps of ${shown(stepSize(scale))} move ${moved}${exactly(rounding)}`,
    needed: `payoffs with fewer than 2^32 steps between the smallest and the largest, or rounding of at most ${MOST_ROUNDING}${files.length > 1 ? ' (rows are counted over all files)' : ''}`,
    hint: 'correct the row or leave it out (--where); --payoff-range LOW,HIGH refuses payoffs outside, and --skip-bad-rows drops and counts them; or round all payoffs to a step of which the largest has fewer than 4.29e9',
  });
}

/** The payoff that is farthest from 0, and its row over all files. */
async function farthest(stream: LogStream, signal?: AbortSignal): Promise<{ value: number; row: number }> {
  const { scale, maxSteps } = stream.head.payoff;
  const [low, high] = [0, maxSteps].map((steps) => totalPayoff(scale, 1, steps));
  const [value, steps] = Math.abs(low) > Math.abs(high) ? [low, 0] : [high, maxSteps];
  for (let from = 0; from < stream.events; from += EVENTS) {
    const log: EventLog = await stream.read(from, Math.min(stream.events, from + EVENTS), signal);
    const t = log.payoff.steps.indexOf(steps);
    if (t >= 0) return { value: Number(value.toPrecision(9)), row: log.sourceRow?.[t] ?? from + t };
  }
  return { value, row: 0 };
}
