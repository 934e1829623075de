/**
 * Names and sentences of any length, cut to what a page can hold, what cannot be seen in them spelt out. Whoever has such names has
 * an index beside them.
 */

import type { ReplayResult } from '../replay-result.js';
import type { EvaluationResult } from '../result.js';
import { shorten } from '../text.js';

/** Columns of a name that a report shows; longer ones are cut in the middle. */
export const MOST_NAME = 120;
/** Of a sentence, such as a warning that quotes names. */
const MOST_TEXT = 2000;

/** The result with short names throughout. */
export function withShortPolicies(result: EvaluationResult): EvaluationResult {
  const { policies, selection, segments, holdOut, warnings } = result;
  return {
    ...result,
    policies: named(policies),
    selection: withShortBaseline(selection),
    warnings: warnings.map(shortText),
    ...(segments === undefined
      ? {}
      : {
          segments: {
            ...segments,
            levels: segments.levels.map((level) => ({
              ...level,
              winner: level.winner === null ? null : { ...level.winner, name: shortName(level.winner.name) },
            })),
          },
        }),
    ...(holdOut === undefined
      ? {}
      : {
          holdOut: {
            ...holdOut,
            policies: named(holdOut.policies),
            difference:
              holdOut.difference === null ? null : { ...holdOut.difference, name: shortName(holdOut.difference.name) },
          },
        }),
  };
}

/** The result with short names throughout. */
export function withShortLearners(result: ReplayResult): ReplayResult {
  return {
    ...result,
    learners: named(result.learners),
    selection: withShortBaseline(result.selection),
    warnings: result.warnings.map(shortText),
  };
}

/** A sentence that a page can hold. */
export function shortText(text: string): string {
  return text.length <= MOST_TEXT ? text : shorten(text, MOST_TEXT);
}

function named<Named extends { name: string }>(all: readonly Named[]): Named[] {
  return all.map((one) => ({ ...one, name: shortName(one.name) }));
}

function shortName(name: string): string {
  return shorten(name, MOST_NAME);
}

function withShortBaseline(selection: EvaluationResult['selection']): EvaluationResult['selection'] {
  if (selection === null || selection.baseline === null) return selection;
  return { ...selection, baseline: { ...selection.baseline, name: shortName(selection.baseline.name) } };
}
