/** What levels add to a result: each policy by segment, or the best of a part on the other. */

import { KeyLevels } from '../../estimate/blocks/key-levels.js';
import { PART, PartLevels } from '../../estimate/blocks/parts.js';
import type { EstimateOptions } from '../../estimate/one-estimate.js';
import type { Drawer } from '../../estimate/selection/draws.js';
import type { SelectionOptions } from '../selection.js';
import type { StreamEvaluation } from '../stream-evaluation.js';
import { type HoldOut, holdOut, SELECT_TOP } from './hold-out.js';
import type { LevelOptions } from './level-choice.js';
import { type PolicySegment, type Segments, segmentPolicies } from './segments.js';

interface Row {
  readonly index: number;
  readonly name: string;
  readonly value: number | null;
  segments?: PolicySegment[];
}

/** @param rows of all policies, best first; they get their segments. */
export async function tellLevels<Ranked extends Row>(
  evaluation: StreamEvaluation,
  rows: Ranked[],
  options: LevelOptions & SelectionOptions & { readonly estimate: EstimateOptions },
  drawer: Drawer,
): Promise<{ rows: Ranked[]; segments?: Segments; holdOut?: HoldOut }> {
  const { levels } = evaluation.survey;
  if (levels instanceof KeyLevels) {
    const overall = rows.find(({ value }) => value !== null)?.index ?? -1;
    const request = { ...options, by: options.by ?? [], values: levels.values, overall };
    const { segments, policies } = await segmentPolicies(evaluation, request, drawer);
    for (const row of rows) row.segments = policies[row.index];
    return { rows, segments };
  }
  if (!(levels instanceof PartLevels)) return { rows };
  const request = { ...options, parts: levels, ranking: rows, top: options.selectTop ?? SELECT_TOP };
  return { rows, holdOut: holdOut(evaluation, evaluation.ofLevel(PART.evaluation), request) };
}
