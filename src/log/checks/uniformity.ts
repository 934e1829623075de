/**
 * Was the logging policy uniform within the candidate sets? Replay is unbiased only then (Li et al., WSDM 2011,
 * Theorem 1), so it is tested, not assumed: over all events, and for whatever the logged arm may depend on.
 */

import { NotUniformError } from '../../errors.js';
import { plural } from '../../words.js';
import type { EventLog } from '../event-log.js';
import { type ChiSquareTest, chiSquareTest, describeTest, pText } from './uniform/chi-square.js';
import { UniformityCounts } from './uniform/counts.js';
import type { DependenceTest } from './uniform/dependence.js';
import type { WorstCell } from './uniform/factor-table.js';
import { factorText, PROPENSITY_TOLERANCE } from './uniform/propensity.js';
import { MOST_ROWS, worstArms, worstTable } from './uniform/worst.js';

export type { ChiSquareTest } from './uniform/chi-square.js';
export { UniformityCounts } from './uniform/counts.js';

/** A log is refused where a p-value, corrected for the number of tests, is below: of uniform logs, at most one in 5,000. */
export const REFUSE_BELOW = 2e-4;

/** Below this one it is doubted, in a warning: of uniform logs, at most one in 200. */
export const DOUBT_BELOW = 5e-3;

/** Share of both levels for the arms over all events: a single test, whose p falls fastest with the number of events. */
const OVERALL_SHARE = 1 / 8;

/** What propensities say. */
export interface PropensityFindings {
  /** Events whose propensity differs from 1/|A_t| by more than rounding. */
  readonly nonUniform: number;
  /** Smallest and largest p_t · |A_t|; 1 is uniform. */
  readonly minRatio: number;
  readonly maxRatio: number;
}

/** A test whether the logged arm depends on something. */
export interface FactorReport extends DependenceTest {
  /** p of all tests together, of which this is one: an eighth is for the arms over all events, the rest for the factors alike. */
  corrected: number;
}

/** The findings. */
export interface UniformityReport {
  /** Whether replay is unbiased, as far as the log tells. */
  readonly uniform: boolean;
  /** What tells: propensities, or tests of the logged arms. */
  readonly basis: 'propensities' | 'chi-square' | 'empty log';
  /** What propensities say; `null`: the log has none. */
  readonly propensities: PropensityFindings | null;
  /** Of the arms over all events; `null` where there is too little to test. */
  readonly test: ChiSquareTest | null;
  /** Smallest p first. */
  readonly factors: readonly FactorReport[];
  /** Columns of the context that were not tested, as there are very many. */
  readonly untestedColumns: number;
  /** Of a log that does not look uniform, the cells that are furthest from their due. */
  readonly worst: readonly WorstCell[];
  /** One sentence for people. */
  readonly detail: string;
  /** A table for people, line by line, where the log is refused by its arms. */
  readonly table: readonly string[];
  /** Something to tell the user even though the log passes. */
  readonly warning: string | null;
}

/**
 * Tests a log.
 *
 * @param log the log itself, or the head of one that was counted batch by batch.
 * @param counts those of all its events.
 */
export function testUniformity(
  log: EventLog,
  counts = new UniformityCounts(log, log.events).add(log),
): UniformityReport {
  const nothing = { propensities: null, test: null, factors: [], untestedColumns: 0, worst: [], table: [] };
  if (counts.events === 0) {
    const detail = 'the log has no events';
    const { where } = log.source;
    const none = where === null ? detail : `no row passes the filter "${where}"`;
    const warning = `${none}: nothing can be said of any policy or learner`;
    return { ...nothing, uniform: true, basis: 'empty log', detail, warning };
  }
  const test = chiSquareTest(log.pools, counts.observed);
  const { factors, found, neighbours } = findings(log, counts, test);
  const propensities = log.propensity === null ? null : propensityFindings(counts);
  const known = log.source.estimatedPropensities === undefined ? 'logged' : 'estimated';
  const basis = propensities === null ? 'chi-square' : 'propensities';
  const report = {
    ...nothing,
    basis,
    propensities,
    test,
    factors,
    untestedColumns: counts.dependence.untested,
  } as const;
  if (propensities !== null && propensities.nonUniform > 0) {
    const { nonUniform, minRatio, maxRatio } = propensities;
    const share = `${nonUniform.toLocaleString('en')} of ${plural(counts.events, 'event')}`;
    const detail = `the ${known} propensities are not uniform: ${share} ${nonUniform === 1 ? 'differs' : 'differ'} from 1/(number of candidates), by factors of ${factorText(minRatio)} to ${factorText(maxRatio)}`;
    return { ...report, uniform: false, detail, warning: null };
  }
  const told = propensities === null ? '' : 'the propensities say uniform, but ';
  if (found !== null && found.corrected < REFUSE_BELOW) {
    const worst = found.worst(MOST_ROWS);
    const table = worstTable(found.head, worst);
    return { ...report, uniform: false, worst, table, detail: `${told}${found.sentence}`, warning: null };
  }
  const doubt =
    found !== null ? `${told}${found.sentence}${first(found.worst(1))}: if that is no chance, replay is biased` : null;
  if (test === null) {
    const single = everyPoolIsSingle(log);
    const few = 'there are too few events per candidate set to test the logged arms';
    const detail = single
      ? 'every event has a single candidate'
      : propensities === null
        ? `no propensities are logged, and ${few}`
        : `every ${known} propensity is 1/(number of candidates); ${few}`;
    const untested = single || propensities !== null ? null : `uniform logging could not be tested: ${detail}`;
    return { ...report, uniform: true, detail, warning: doubt ?? untested };
  }
  const agree = `the logged arms agree with uniform choice: ${describeTest(test)}${within(factors, neighbours)}`;
  const detail = propensities === null ? agree : `every ${known} propensity is 1/(number of candidates), and ${agree}`;
  return { ...report, uniform: true, detail, warning: doubt };
}

/** A failure, as messages need it. */
interface Finding {
  readonly corrected: number;
  readonly sentence: string;
  /** Head of the table's first column. */
  readonly head: string;
  worst(most: number): WorstCell[];
}

/** All tests of factors, and the finding to tell of: that over all events where it is clear, else the one of smallest p. */
function findings(
  log: EventLog,
  { dependence, observed }: UniformityCounts,
  test: ChiSquareTest | null,
): { factors: FactorReport[]; found: Finding | null; neighbours: Finding | null } {
  const tests = dependence.tests();
  const all = tests
    .map(({ test: one, ...more }) => ({
      one: { ...one, corrected: Math.min(1, (tests.length * one.p) / (1 - OVERALL_SHARE)) },
      ...more,
    }))
    .sort((a, b) => a.one.p - b.one.p);
  const [apart, found] = [true, false].map((neighbours) =>
    all
      .filter((item) => item.neighbours === neighbours)
      .map(({ one: { factor, corrected, events }, worst }) => ({
        corrected,
        sentence: `the logged arm depends on ${factor}: ${pText(corrected)}, corrected for ${plural(tests.length + 1, 'test')}${
          dependence.sampled ? `, over ${events.toLocaleString('en')} of the events` : ''
        }`,
        head: factor,
        worst,
      })),
  );
  // Arms that are uneven everywhere are uneven in every group as well, so that is told first.
  if (test !== null) {
    found.unshift({
      corrected: Math.min(1, test.pValue / OVERALL_SHARE),
      sentence: `the logged arms are not uniform within their candidate sets: ${describeTest(test)}`,
      head: 'events',
      worst: (most) => worstArms(log, observed, most),
    });
  }
  const refused = found.find(({ corrected }) => corrected < REFUSE_BELOW);
  const doubted = found.find(({ corrected }) => corrected < DOUBT_BELOW);
  return {
    factors: all.map(({ one }) => one),
    found: refused ?? doubted ?? null,
    neighbours: apart.find(({ corrected }) => corrected < DOUBT_BELOW) ?? null,
  };
}

/** `; no sign that they depend on any of 12 factors`, or on which: neighbours may, and be balanced all the same. */
function within(factors: readonly FactorReport[], neighbours: Finding | null): string {
  if (factors.length === 0) return '';
  if (neighbours === null) return `; no sign that they depend on any of ${plural(factors.length, 'factor')}`;
  return `; but neighbouring events are not independent (${neighbours.head}: ${pText(neighbours.corrected)}), as repeated views and arms in turn are not`;
}

function first([cell]: WorstCell[]): string {
  if (cell === undefined) return '';
  const { group, arm, events, shown, due } = cell;
  const number = (value: number): string => Math.round(value).toLocaleString('en');
  return ` (${group}, arm ${arm}: ${number(shown)} of ${number(events)} events, ${number(due)} due)`;
}

/** How a log was found fit for replay, as results record it (`UniformityDescription` in the report room). */
export interface UniformityVerdict {
  basis: 'propensities' | 'chi-square' | 'assumed' | 'empty log';
  pValue: number | null;
  assumed: boolean;
  detail: string;
  factors: FactorReport[];
  untestedColumns?: number;
}

/**
 * Passes a log that is uniform, or that the caller asserts to be.
 *
 * @param options.anyLogging the estimator takes any logging policy: nothing is refused, and what was found is told.
 * @param options.remarks what else is known of columns that the arm may depend on.
 * @param counts those of all events, where `log` is but a head.
 * @returns what results record, and warnings (none, or one).
 * @throws NotUniformError that says what was found and which estimators apply instead.
 */
export function requireUniform(
  log: EventLog,
  options: { readonly assume?: boolean; readonly anyLogging?: boolean; readonly remarks?: readonly string[] } = {},
  counts?: UniformityCounts,
): { description: UniformityVerdict; warnings: string[] } {
  const assume = options.assume ?? false;
  const { uniform, basis, test, factors, untestedColumns, propensities, detail, table, warning } = testUniformity(
    log,
    counts,
  );
  const more = {
    pValue: test?.pValue ?? null,
    factors: [...factors],
    ...(untestedColumns === 0 ? {} : { untestedColumns }),
  };
  if (uniform)
    return { description: { basis, assumed: assume, detail, ...more }, warnings: warning === null ? [] : [warning] };
  if (options.anyLogging === true) {
    const isTold = propensities === null || propensities.nonUniform > 0;
    const warnings = isTold ? [] : [`${detail}: weights by such propensities do not make up for it`];
    return { description: { basis, assumed: false, detail, ...more }, warnings };
  }
  if (assume) {
    const told = `uniform logging is assumed as told, although ${detail}`;
    return { description: { basis: 'assumed', assumed: true, detail: told, ...more }, warnings: [told] };
  }
  throw new NotUniformError({
    file: log.source.files.length === 0 ? undefined : log.source.files.join(', '),
    problem: 'the log does not come from a uniformly random policy, so replay would be biased',
    got: [detail, ...table, ...(options.remarks ?? [])].join('\n'),
    needed: 'each candidate shown with the same probability, whatever the event',
    hint:
      log.source.thinned === undefined
        ? `${propensities === null ? '' : missingArms(log, propensities)}${filterHint(log)}${OTHER_WAYS}`
        : `the log was thinned by its propensities: were its arms drawn with them, and apart from that by chance, whatever the event? If they were not, no estimator can go by them. ${filterHint(log)}if you know better, --assume-uniform`,
  });
}

/** What is left to do with a log that is not uniform. */
export const OTHER_WAYS =
  'for fixed policies, evaluate --estimator snips takes any logging policy whose propensities are in the log, and --thin (in code: thin) makes a uniform log of such a one, for learners too; or replay a part of the log that was logged uniformly (--where), or another log; or, if you know better, --assume-uniform';

/** A filter that goes by the arm makes any log look so. */
function filterHint({ source: { where } }: EventLog): string {
  return where === null
    ? ''
    : `is it the filter (${where}), if that goes by the arm or by what came of it? Filter by what was known before the arm was chosen; else `;
}

/** What to do where every propensity is that of more arms than the log names: a part of a log may lack some. */
function missingArms({ arms, pools }: EventLog, { minRatio, maxRatio }: PropensityFindings): string {
  const named = arms.ids.length;
  if (pools.pool !== null || pools.offsets[1] !== named) return '';
  const meant = Math.round(named / maxRatio);
  if (meant <= named || maxRatio - minRatio > PROPENSITY_TOLERANCE) return '';
  return `every propensity is 1/${meant} and the log names ${plural(named, 'arm')}: if some never occur in it, list all ${meant} with --arms-order (arms in a mapping); otherwise `;
}

function everyPoolIsSingle({ pools }: EventLog): boolean {
  for (let s = 0; s < pools.count; s++) if (pools.offsets[s + 1] - pools.offsets[s] !== 1) return false;
  return true;
}

function propensityFindings({ nonUniform, minRatio, maxRatio }: UniformityCounts): PropensityFindings {
  return { nonUniform, minRatio, maxRatio };
}
