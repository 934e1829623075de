/**
 * Was the logging policy uniform within the candidate sets? Replay is unbiased only then (Li et al., WSDM 2011,
 * Theorem 1), so it is tested, not assumed.
 */

import chiSquareCdf from '@stdlib/stats-base-dists-chisquare-cdf';
import type { Archive, Carried } from '../archive.js';
import { NotUniformError } from '../errors.js';
import type { EventLog } from './event-log.js';

/** A logged propensity may differ from 1/|A_t| by this, relatively: room for decimals, not for a policy. */
export const PROPENSITY_TOLERANCE = 1e-6;

/** A log without propensities is refused below this p-value: of truly uniform logs, one in a thousand. */
export const REFUSE_BELOW = 1e-3;

/** Propensities that say "uniform" are doubted, in a warning, below this p-value. */
export const DOUBT_BELOW = 1e-6;

/** Least expected count per arm for the chi-square approximation. */
const LEAST_EXPECTED = 5;

/** Pearson's chi-square test of the logged arms against uniform choice within pools. */
export interface ChiSquareTest {
  /** Σ over pools and their arms of (observed − expected)² / expected. */
  readonly statistic: number;
  /** Σ over pools of (|A| − 1). */
  readonly degrees: number;
  /** Absolute error about 1e−15; 0 means "below that". */
  readonly pValue: number;
  /** Events that took part. */
  readonly events: number;
  /** Pools tested one by one. */
  readonly pools: number;
  /** Pools too rare for that, which were merged with others of their size, arm by rank. */
  readonly mergedPools: number;
  /** Events left out: a single candidate, or too rare a pool even after merging. */
  readonly skippedEvents: number;
}

/** What logged propensities say. */
export interface PropensityFindings {
  /** Events whose propensity differs from 1/|A_t|. */
  readonly nonUniform: number;
  /** Smallest and largest p_t · |A_t|; 1 is uniform. */
  readonly minRatio: number;
  readonly maxRatio: number;
}

/** The findings. */
export interface UniformityReport {
  readonly uniform: boolean;
  readonly basis: 'propensities' | 'chi-square' | 'empty log';
  readonly propensities: PropensityFindings | null;
  /** `null` where there is too little to test. */
  readonly test: ChiSquareTest | null;
  /** One sentence for people. */
  readonly detail: string;
  /** Something to tell the user even though the log passes. */
  readonly warning: string | null;
}

/** What the test needs to know of events: counts, so that a log can be gone through stretch by stretch. */
export class UniformityCounts implements Carried {
  events = 0;
  /** Events whose propensity differs from 1/|A_t|, smallest and largest p_t · |A_t|. */
  nonUniform = 0;
  minRatio = Number.POSITIVE_INFINITY;
  maxRatio = 0;
  /** Events at which an arm of a pool was shown, laid out as the pools' arms are; and events of each pool. */
  readonly observed: Float64Array;
  readonly eventsOf: Float64Array;

  /** @param log the whole log, or its head. */
  constructor({ pools }: Pick<EventLog, 'pools'>) {
    this.observed = new Float64Array(pools.arms.length);
    this.eventsOf = new Float64Array(pools.count);
  }

  /** Counts the events of a log, or of a stretch of it. */
  add(log: EventLog): this {
    const { pools, arm, events, propensity } = log;
    const { observed, eventsOf } = this;
    for (let t = 0; t < events; t++) {
      const s = pools.pool === null ? 0 : pools.pool[t];
      observed[rankIn(pools.arms, pools.offsets[s], pools.offsets[s + 1], arm[t])]++;
      eventsOf[s]++;
    }
    if (propensity !== null) this.addPropensities(log, propensity);
    this.events += events;
    return this;
  }

  private addPropensities(log: EventLog, propensity: Float64Array): void {
    const { pool } = log.pools;
    for (let t = 0; t < log.events; t++) {
      const ratio = propensity[t] * poolSize(log, pool === null ? 0 : pool[t]);
      if (Math.abs(ratio - 1) > PROPENSITY_TOLERANCE) this.nonUniform++;
      if (ratio < this.minRatio) this.minRatio = ratio;
      if (ratio > this.maxRatio) this.maxRatio = ratio;
    }
  }

  carry(archive: Archive): void {
    this.events = archive.number(this.events);
    this.nonUniform = archive.number(this.nonUniform);
    this.minRatio = archive.number(this.minRatio);
    this.maxRatio = archive.number(this.maxRatio);
    archive.array(this.observed);
    archive.array(this.eventsOf);
  }
}

/**
 * Tests a log. Propensities decide where they are logged; otherwise the chi-square test does.
 *
 * @param log the log itself, or the head of one that was counted stretch by stretch.
 * @param counts those of all its events.
 */
export function testUniformity(log: EventLog, counts = new UniformityCounts(log).add(log)): UniformityReport {
  if (counts.events === 0) {
    return {
      uniform: true,
      basis: 'empty log',
      propensities: null,
      test: null,
      detail: 'the log has no events',
      warning:
        log.source.where === null
          ? 'the log has no events: nothing can be said of any policy or learner'
          : `no row passes the filter "${log.source.where}": nothing can be said of any policy or learner`,
    };
  }
  const test = chiSquareTest(log, counts);
  const propensities = log.propensity === null ? null : findings(counts);
  if (propensities !== null) {
    const { nonUniform, minRatio, maxRatio } = propensities;
    const basis = 'propensities';
    if (nonUniform > 0) {
      const share = `${nonUniform.toLocaleString('en')} of ${counts.events.toLocaleString('en')} events`;
      const detail = `the logged propensities are not uniform: ${share} differ from 1/(number of candidates), by factors of ${short(minRatio)} to ${short(maxRatio)}`;
      return { uniform: false, basis, propensities, test, detail, warning: null };
    }
    const detail = 'every logged propensity is 1/(number of candidates)';
    const doubt = test !== null && test.pValue < DOUBT_BELOW;
    const warning = doubt
      ? `the propensities say uniform, but the logged arms do not look so: ${describeTest(test)}`
      : null;
    return { uniform: true, basis, propensities, test, detail, warning };
  }
  const basis = 'chi-square';
  if (test === null) {
    const single = everyPoolIsSingle(log);
    const detail = single
      ? 'every event has a single candidate'
      : 'no propensities are logged, and there are too few events per candidate set to test the logged arms';
    return {
      uniform: true,
      basis,
      propensities,
      test,
      detail,
      warning: single ? null : `uniform logging could not be tested: ${detail}`,
    };
  }
  const uniform = test.pValue >= REFUSE_BELOW;
  const detail = uniform
    ? `the logged arms agree with uniform choice: ${describeTest(test)}`
    : `the logged arms are not uniform within their candidate sets: ${describeTest(test)}`;
  return { uniform, basis, propensities, test, detail, warning: null };
}

/** How a log was found fit for replay, as results record it (`UniformityDescription` in the report room). */
export interface UniformityVerdict {
  basis: 'propensities' | 'chi-square' | 'assumed' | 'empty log';
  pValue: number | null;
  assumed: boolean;
  detail: string;
}

/**
 * Passes a log that is uniform, or that the caller asserts to be.
 *
 * @param counts those of all events, where `log` is but a head.
 * @returns what results record, and warnings (none, or one).
 * @throws NotUniformError that says what was found and which estimators apply instead.
 */
export function requireUniform(
  log: EventLog,
  options: { readonly assume?: boolean } = {},
  counts?: UniformityCounts,
): { description: UniformityVerdict; warnings: string[] } {
  const assume = options.assume ?? false;
  const { uniform, basis, test, propensities, detail, warning } = testUniformity(log, counts);
  const pValue = test?.pValue ?? null;
  if (uniform)
    return { description: { basis, pValue, assumed: assume, detail }, warnings: warning === null ? [] : [warning] };
  if (assume) {
    const told = `uniform logging is assumed as told, although ${detail}`;
    return { description: { basis: 'assumed', pValue, assumed: true, detail: told }, warnings: [told] };
  }
  const file = log.source.files.length === 0 ? undefined : log.source.files.join(', ');
  throw new NotUniformError({
    file,
    problem: 'the log does not come from a uniformly random policy, so replay would be biased',
    got: detail,
    needed: 'each candidate shown with the same probability',
    hint:
      log.propensity === null
        ? 'log the propensities and use rejection sampling or an estimator of the IPS family; or, if you know better, --assume-uniform'
        : `${missingArms(log, propensities)}rejection sampling or an estimator of the IPS family, which use the logged propensities; or, if you know better, --assume-uniform`,
  });
}

/** What to do where every propensity is that of more arms than the log names: a part of a log may lack some. */
function missingArms(log: EventLog, findings: PropensityFindings | null): string {
  const arms = log.arms.ids.length;
  if (findings === null || log.pools.pool !== null || poolSize(log, 0) !== arms) return '';
  const { minRatio, maxRatio } = findings;
  const meant = Math.round(arms / maxRatio);
  if (meant <= arms || maxRatio - minRatio > PROPENSITY_TOLERANCE) return '';
  return `every propensity is 1/${meant} and the log names ${arms} arms: if some never occur in it, list all ${meant} with --arms-order (arms in a mapping); otherwise `;
}

/** One test as text. */
export function describeTest({ statistic, degrees, pValue, skippedEvents, mergedPools }: ChiSquareTest): string {
  const p = pValue < 1e-12 ? 'p < 1e-12' : `p = ${short(pValue)}`;
  const merged = mergedPools === 0 ? '' : `, ${mergedPools} rare candidate sets merged by size`;
  const skipped = skippedEvents === 0 ? '' : `, ${skippedEvents} events left out`;
  return `chi-square ${short(statistic)} with ${degrees} degrees of freedom, ${p}${merged}${skipped}`;
}

function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}

function poolSize({ pools }: EventLog, pool: number): number {
  return pools.offsets[pool + 1] - pools.offsets[pool];
}

function everyPoolIsSingle(log: EventLog): boolean {
  for (let s = 0; s < log.pools.count; s++) if (poolSize(log, s) !== 1) return false;
  return true;
}

function findings({ nonUniform, minRatio, maxRatio }: UniformityCounts): PropensityFindings {
  return { nonUniform, minRatio, maxRatio };
}

function chiSquareTest({ pools }: EventLog, { observed, eventsOf, events }: UniformityCounts): ChiSquareTest | null {
  let statistic = 0;
  let degrees = 0;
  let tested = 0;
  let poolsTested = 0;
  let mergedPools = 0;
  const add = (counts: Float64Array, total: number): boolean => {
    const expected = total / counts.length;
    if (counts.length < 2 || expected < LEAST_EXPECTED) return false;
    for (const count of counts) statistic += (count - expected) ** 2 / expected;
    degrees += counts.length - 1;
    tested += total;
    return true;
  };
  // A uniform choice is uniform over ranks within the pool too: rare pools of one size can be tested together.
  const merged = new Map<number, { counts: Float64Array; total: number; pools: number }>();
  for (let s = 0; s < pools.count; s++) {
    const counts = observed.subarray(pools.offsets[s], pools.offsets[s + 1]);
    if (add(counts, eventsOf[s])) {
      poolsTested++;
      continue;
    }
    const size = counts.length;
    const group = merged.get(size) ?? { counts: new Float64Array(size), total: 0, pools: 0 };
    for (let i = 0; i < size; i++) group.counts[i] += counts[i];
    group.total += eventsOf[s];
    group.pools++;
    merged.set(size, group);
  }
  for (const { counts, total, pools: number } of merged.values()) if (add(counts, total)) mergedPools += number;
  if (degrees === 0) return null;
  const pValue = Math.max(0, 1 - chiSquareCdf(statistic, degrees));
  return {
    statistic,
    degrees,
    pValue,
    events: tested,
    pools: poolsTested,
    mergedPools,
    skippedEvents: events - tested,
  };
}

/** Position of `arm` in the ascending stretch `arms[low .. high)`, which holds it. */
function rankIn(arms: Uint32Array, low: number, high: number, arm: number): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (arms[middle] < arm) low = middle + 1;
    else high = middle;
  }
  return low;
}
