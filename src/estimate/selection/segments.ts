/**
 * Statements about all policies in all segments of a log at once. Segments share their blocks, and so the multipliers of a draw: the
 * largest over policies and segments is the largest of those of the segments.
 */

import type { Interval } from '../interval/method.js';
import { criticalValue, twoSidedLevel } from './critical-value.js';
import { differenceLower } from './difference.js';
import { type Drawer, drawProblem, makeDraws } from './draws.js';
import { FEW_BLOCKS, minus, type Standing, scaleOf } from './standing.js';

export interface SegmentQuestion {
  /** V */
  readonly segments: number;
  /** Where each policy stands in a segment, by index in the policy set; asked for twice, as all at once may be too many. */
  readonly standings: (segment: number) => readonly Standing[];
  /** Blocks with events of a segment. */
  readonly blocks: (segment: number) => number;
  /** Index of the policy that others are compared with. */
  readonly overall: number;
  /** 1 − α */
  readonly level: number;
  readonly draws: number;
  readonly seed: number;
}

/** What is said of the policies in one segment, by index. */
export interface SegmentStanding {
  /** With probability 1 − α the bands of all policies in all segments hold their values. */
  readonly bands: readonly Interval[];
  /** Lower bounds on how much better each is there than the overall winner, simultaneous as well; `null`: not known. */
  readonly lower: readonly (number | null)[];
}

export interface SegmentAnswer {
  /** c of the bands. */
  readonly criticalValue: number;
  readonly of: (segment: number) => SegmentStanding;
}

/**
 * The overall winner is picked from the same events, which can only flatter it in a segment: that others are better there is
 * claimed too seldom rather than too often.
 */
export async function selectSegments(question: SegmentQuestion, drawer: Drawer): Promise<SegmentAnswer> {
  const { segments, standings, blocks, overall, level } = question;
  const own = standings(0);
  const draws = makeDraws(own[0].influence.length, question.draws, question.seed);
  const [bands, differences] = [new Largest(), new Largest()];
  // Of few blocks nothing is redrawn, as without segments: Bonferroni's inequality holds.
  const redrawn = draws.blocks < FEW_BLOCKS ? 0 : segments;
  for (let segment = 0; segment < redrawn; segment++) {
    const told = (segment === 0 ? own : standings(segment)).map(({ influence }) => influence);
    const rows = told.filter((row) => scaleOf(row) > 0);
    if (rows.length === 0) continue;
    bands.add((await drawer.maxima(drawProblem(draws, rows))).twoSided);
    const against = rows.map((row) => minus(row, told[overall])).filter((row) => scaleOf(row) > 0);
    if (against.length > 0) differences.add((await drawer.maxima(drawProblem(draws, against))).oneSided);
  }
  const rows = own.length * segments;
  const critical = criticalValue(bands.values, level, rows, 2);
  const ahead = criticalValue(differences.values, level, rows, 1);
  return {
    criticalValue: critical.value,
    of(segment) {
      const there = standings(segment);
      const delta = twoSidedLevel(critical.value);
      return {
        bands: there.map(({ bounds }) => bounds(delta)),
        lower: there.map((one, p) =>
          p === overall ? 0 : differenceLower(one, there[overall], ahead.value, blocks(segment)),
        ),
      };
    },
  };
}

/** Of each draw the largest of what is added. */
class Largest {
  values = new Float32Array(0);

  add(maxima: Float32Array): void {
    if (this.values.length === 0) this.values = maxima.slice();
    else
      maxima.forEach((one, d) => {
        if (one > this.values[d]) this.values[d] = one;
      });
  }
}
