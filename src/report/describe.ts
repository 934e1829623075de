/** Parts of a result in words: what the fact block above a ranking says. */

import { faultInOneLine } from '../errors.js';
import { findEstimator } from '../estimate/estimators/index.js';
import { plural } from '../words.js';
import { describeMemory } from './describe-memory.js';
import type { Fact } from './facts.js';
import { holdOutFacts } from './hold-out.js';
import { count, duration, fixed, percent, prefixed, significant } from './numbers.js';
import type { EvaluationResult, LogDescription } from './result.js';
import { segmentFacts } from './segments-table.js';

/** Everything above the ranking but the answer and how a log was thinned, from the log to the warnings. */
export function describeResult(result: EvaluationResult): Fact[] {
  return [
    ...describeLog(result.log),
    { label: 'uniform', text: describeUniformity(result), warn: result.uniformity.assumed },
    { label: 'estimator', text: describeEstimator(result) },
    ...describeOthers(result),
    { label: 'interval', text: `${result.interval.method}, ${percent(result.interval.confidence)}` },
    ...describeBands(result),
    ...describeSequence(result),
    ...holdOutFacts(result),
    ...segmentFacts(result),
    { label: 'engine', text: describeEngine(result) },
    ...describeMemory(result.engine),
    ...describeLosses(result),
  ];
}

/** How bands were made, which hold for all at once. @param one of those that are compared. @param of what was redrawn. */
export function describeBands(
  { selection }: Pick<EvaluationResult, 'selection'>,
  [one, many]: readonly [string, string] = ['policy', 'policies'],
  drawn = (blocks: number): string => plural(blocks, 'block'),
): Fact[] {
  if (selection === null) return [];
  const { level, blocks, draws, seed, criticalValue, criticalError, independentPolicies } = selection;
  const isRedrawn = criticalError > 0;
  const parts = [
    `${percent(level)} for all ${many} at once: ${fixed(criticalValue, 2)}${isRedrawn ? ` ± ${fixed(criticalError, 3)}` : ''} standard errors`,
    `as ${plural(Math.max(1, Math.round(independentPolicies)), `independent ${one}`, `independent ${many}`)} would need`,
    isRedrawn ? `${plural(draws, 'draw')} of ${drawn(blocks)}, seed ${seed}` : 'by Bonferroni’s inequality',
  ];
  return [{ label: 'bands', text: parts.join('; ') }];
}

/** `asymptotic, 95 % at all 64 looks and later ones; tightest at 2,500 events`; nothing without one. */
function describeSequence({ sequence }: EvaluationResult): Fact[] {
  if (sequence === undefined) return [];
  const { method, at, level, looks } = sequence;
  const when = looks.length === 1 ? 'at one look' : `at all ${count(looks.length)} looks`;
  return [
    {
      label: 'sequence',
      text: `${method}, ${percent(level)} ${when} and later ones; tightest at ${plural(at, 'event')}`,
    },
  ];
}

/** What a result says of its log. */
export function describeLogFacts(log: LogDescription): Fact[] {
  return [...describeThinning(log), ...describeLog(log)];
}

function describeLog(log: LogDescription): Fact[] {
  return [
    { label: 'log', text: describeFiles(log) },
    { label: 'events', text: describeEvents(log) },
    { label: 'arms', text: describeArms(log) },
    ...describeColumns(log),
    { label: 'payoff', text: `${describePayoff(log.payoff)}${describeCost(log)}` },
  ];
}

/** What stands last: rows that were dropped, and warnings. */
export function describeLosses({ log, warnings }: Pick<EvaluationResult, 'log' | 'warnings'>): Fact[] {
  return [...describeDropped(log.droppedRows), ...warnings.map((text) => ({ label: 'warning', text, warn: true }))];
}

/** `a.csv and 3 more files (csv), where position = 1`. */
export function describeFiles(log: Pick<LogDescription, 'files' | 'format' | 'where'>): string {
  const [first, ...more] = log.files;
  const files =
    first === undefined ? 'made in code' : more.length > 0 ? `${first} and ${plural(more.length, 'more file')}` : first;
  return `${files} (${log.format})${log.where === null ? '' : `, where ${log.where}`}`;
}

/** `kept 53 of 10,000 events, 0.53 % (0.56 % expected); …`, where a log was thinned: it stands first. */
export function describeThinning({ thinned }: LogDescription): Fact[] {
  if (thinned === undefined) return [];
  const { events, kept, leastPropensity, declared, seed } = thinned;
  const share = (value: number): string => percent(Number(value.toPrecision(3)));
  const kind = declared ? 'as declared' : 'the least of the log';
  const parts = [
    `kept ${count(kept)} of ${plural(events, 'event')}, ${share(kept / Math.max(1, events))} (${share(leastPropensity)} expected)`,
    `candidates × propensity of at least ${significant(leastPropensity, 6)}, ${kind}`,
    `seed ${seed}`,
  ];
  return [{ label: 'thinned', text: parts.join('; '), warn: kept < events / 10 }];
}

/** `10,000 from 2009-05-01 00:00:00 to 2009-05-10 23:59:58 UTC`. */
export function describeEvents(log: Pick<LogDescription, 'events' | 'period' | 'distinctViews'>): string {
  const { distinctViews: before } = log;
  const events =
    before === undefined ? count(log.events) : `${count(log.events)} distinct views of ${count(before.events)}`;
  if (log.period === null) return events;
  const [from, to] = log.period.map(shortTime);
  return `${events} from ${from} to ${to} UTC`;
}

/** `20; 3 candidate sets; context of 6, 240 distinct`. */
function describeArms(log: LogDescription): string {
  const distinct = log.distinctContexts === null ? '' : `, ${count(log.distinctContexts)} distinct`;
  const context = log.contextDimension === 0 ? 'no context' : `context of ${log.contextDimension}${distinct}`;
  return `${count(log.arms)}; ${plural(log.pools, 'candidate set')}; ${context}`;
}

/** Names of a role that are spelt out. */
const NAMED = 5;

/** `arm item; payoff click; context age, city; left out: id, note`; nothing of logs without a mapping. */
function describeColumns({ mapping, columns }: Pick<LogDescription, 'mapping' | 'columns'>): Fact[] {
  if (mapping === null) return [];
  const byRole = new Map<string, string[]>();
  for (const { name, roles, unused } of columns) {
    for (const role of roles.length > 0 || unused === undefined ? roles : ['left out:'])
      byRole.set(role, [...(byRole.get(role) ?? []), name === '' ? '""' : name]);
  }
  const last = byRole.get('left out:');
  byRole.delete('left out:');
  const all = [...byRole, ...(last === undefined ? [] : [['left out:', last] as const])];
  return [{ label: 'columns', text: all.map(([role, names]) => `${role} ${someNames(names)}`).join('; ') }];
}

function someNames(names: readonly string[]): string {
  const more = names.length > NAMED + 1 ? ` and ${count(names.length - NAMED)} more` : '';
  return `${(more === '' ? names : names.slice(0, NAMED)).join(', ')}${more}`;
}

/** `0 to 1 in steps of 0.01`, and whether payoffs were rounded. */
export function describePayoff(payoff: LogDescription['payoff']): string {
  const range = `${significant(payoff.low, 9)} to ${significant(payoff.high, 9)}`;
  const step = significant(payoff.step, 6);
  return payoff.rounded ? `${range}, rounded once to steps of ${step}` : `${range} in steps of ${step}, exact`;
}

/** Whether logging was found to be uniform, and that it matters. */
function describeUniformity({ uniformity, estimators }: EvaluationResult): string {
  const isNeeded = estimators.some(({ name }) => findEstimator(name).needs === 'uniform logging');
  return isNeeded ? uniformity.detail : `not needed; ${uniformity.detail}`;
}

/** `replay, whole log (Algorithm 2); 64 blocks of consecutive events`. */
export function describeEstimator(result: {
  estimator: Omit<EvaluationResult['estimator'], 'interval'>;
  blocks: EvaluationResult['blocks'];
}): string {
  const { estimator, blocks } = result;
  const { algorithm, validEvents } = estimator;
  const how =
    algorithm === undefined
      ? 'over all events'
      : validEvents == null
        ? 'whole log (Algorithm 2)'
        : `first ${plural(validEvents, 'valid event')} (Algorithm 1)`;
  const cut = { run: 'of consecutive events', period: 'by period of time', user: 'of users' }[blocks.kind];
  return `${told(estimator)}, ${how}; ${plural(blocks.count, 'block')} ${cut ?? blocks.kind}`;
}

/** `ips-clip at 20`: an estimator and what it was told. */
function told({ name, clip, switch: most, shrinkage }: Omit<EvaluationResult['estimator'], 'interval'>): string {
  return [
    name,
    ...(clip === undefined ? [] : [clip === 'auto' ? 'at M by policy' : `at ${clip}`]),
    ...(most === undefined ? [] : [`at ${most}`]),
    ...(shrinkage === undefined ? [] : [`λ = ${shrinkage}`]),
  ].join(' ');
}

/** Estimators beside the first, and what payoffs are predicted by. */
function describeOthers({ estimators, rewardModel }: EvaluationResult): Fact[] {
  const facts: Fact[] = [];
  const [, ...others] = estimators;
  if (others.length > 0) facts.push({ label: 'beside it', text: others.map(told).join(', ') });
  if (rewardModel !== undefined) {
    const { name, parameters, folds } = rewardModel;
    const given = Object.entries(parameters).map(([key, value]) => `${words(key)} ${value}`);
    const fitted =
      folds === null ? [] : [folds.count === 1 ? 'not cross-fitted' : `${folds.count} folds by ${folds.by}`];
    facts.push({ label: 'model', text: [name, ...given, ...fitted].join(', ') });
  }
  return facts;
}

/** `contextColumns` → `context columns`. */
function words(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** The device, its speed, and what was left to the CPU or compared with it. */
export function describeEngine({ engine }: { engine: EvaluationResult['engine'] }): string {
  const device =
    engine.device === 'gpu' ? `GPU: ${engine.adapter}` : `CPU: ${engine.adapter}, ${plural(engine.threads, 'thread')}`;
  const parts = [
    `${device}; ${prefixed(engine.decisions)} ${engine.decisions === 1 ? 'decision' : 'decisions'} in ${duration(engine.seconds)}`,
  ];
  if (engine.seconds > 0) parts.push(`${prefixed(engine.decisions / engine.seconds)} decisions/s`);
  const { lanes } = engine;
  if (lanes !== undefined)
    parts.push(`${percent(Math.round((100 * lanes.events) / Math.max(1, lanes.slots)) / 100)} of lanes used`);
  else if (engine.inGroups !== undefined)
    parts.push(
      `${percent(Math.floor((100 * engine.inGroups) / Math.max(1, engine.decisions)) / 100)} of them whole groups at a time`,
    );
  else if (engine.device === 'gpu') parts.push(`${count(engine.settledOnCpu)} settled on the CPU`);
  if (engine.verified !== null) {
    parts.push(`${plural(engine.verified, 'policy', 'policies')} verified on the CPU reference`);
  }
  // A number stays on the line of its unit.
  return parts.join(', ').replaceAll(/(\d) (ms|s|min|h|decisions?)/g, '$1\u00a0$2');
}

/** What a kind of bad rows cost, and what is counted. */
const LOST = {
  row: ['dropped', 'row'],
  candidate: ['left out', 'candidate'],
  stretch: ['not read', 'stretch', 'stretches'],
  nothing: ['forgiven', 'time'],
} as const;

/** One line per kind of row that was dropped or forgiven, with the place and value of the first one. */
export function describeDropped(dropped: LogDescription['droppedRows']): Fact[] {
  return dropped.map(({ kind, count: rows, first, lost = 'row' }) => {
    const [label, one, many] = LOST[lost];
    return {
      label,
      text: `${plural(rows, one, many)}: ${kind}; the first: ${faultInOneLine(first)}`,
      ...(lost === 'nothing' ? {} : { warn: true }),
    };
  });
}

/** `payoff = 1 − cost`, for logs of costs. */
export function describeCost({ payoffFromCost }: Pick<LogDescription, 'payoffFromCost'>): string {
  if (payoffFromCost === undefined) return '';
  const { scale, offset } = payoffFromCost;
  const factor = Math.abs(scale) === 1 ? '' : `${significant(Math.abs(scale), 9)} · `;
  const sign = scale < 0 ? (offset === 0 ? '−' : ' − ') : offset === 0 ? '' : ' + ';
  return `; payoff = ${offset === 0 ? '' : significant(offset, 9)}${sign}${factor}cost`;
}

/** `2009-05-01T00:00:00.000Z` → `2009-05-01 00:00:00`; fractions only where there are any. */
function shortTime(iso: string): string {
  return iso.replace('T', ' ').replace(/Z$/, '').replace(/\.0+$/, '');
}
