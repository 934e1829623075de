/** What a reader of confidence sequences must know: what must stay the same in later runs, and where bounds contradict each other. */

import type { SequenceBounds } from '../../estimate/sequence/method.js';
import type { PayoffScale } from '../../estimate/sums/payoff-scale.js';
import { plural } from '../../words.js';

interface Row {
  readonly name: string;
  readonly sequence?: SequenceBounds;
}

interface Told {
  /** n* */
  readonly at: number;
  /** It was told. */
  readonly told: boolean;
  /** A reward model was fitted to the log. */
  readonly fitted: boolean;
}

/** @param rows best first; those of a log without sequences have nothing to be said. */
export function sequenceWarnings(rows: readonly Row[], { at, told, fitted }: Told, scale: PayoffScale): string[] {
  const { low, high } = scale;
  const crossed = rows.filter(({ sequence }) => (sequence?.lower.at(-1) ?? 0) > (sequence?.upper.at(-1) ?? 0));
  const more = crossed.length - 1;
  return [
    ...(told
      ? []
      : [
          `confidence sequences are tightest at ${plural(at, 'event')}, a quarter of this log: what they say holds for later runs on the longer log too if those have --sequence-at ${at} (in code: sequenceAt) and the same blocks`,
        ]),
    ...(low === 0 && high === 1
      ? []
      : [
          `confidence sequences go by the payoff range ${low} to ${high}: later runs on the longer log must have the same, --payoff-range ${low},${high} (in code: payoffRange)`,
        ]),
    ...(fitted
      ? [
          'payoffs are predicted by a model of the whole log, of looks at its beginning too: on a longer log their bounds will be others; predictions from a file, --predictions (in code: predictions), stay as they are',
        ]
      : []),
    ...(crossed.length === 0
      ? []
      : [
          `${JSON.stringify(crossed[0].name)}: bounds of its confidence sequence cross, so that no one value has been within them at all looks: its payoffs changed over time, propensities are not right, or it is one that is missed by chance${
            more === 0 ? '' : `; so do those of ${more} more of ${plural(rows.length, 'policy', 'policies')}`
          }`,
        ]),
  ];
}
