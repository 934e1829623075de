/** `online()`: a policy or learner runs live on fresh visits to a simulated world (the *bucket test* of the paper). */

import { InputError } from '../errors.js';
import { brokenAt } from '../learner/broken.js';
import { candidateNumber, candidatesAt } from '../learner/candidates.js';
import { Draws } from '../learner/draws.js';
import type { Learner } from '../learner/learner.js';
import { type LearnerInput, parseLearnerSet, prepareLearners } from '../learner/set/learner-set.js';
import type { EventLog } from '../log/event-log.js';
import { checkOptions, type OptionShape, option } from '../options/check-options.js';
import type { PolicyInput } from '../policy/families.js';
import { compilePolicySet, parsePolicySet } from '../policy/policy-set.js';
import { referenceChoice } from '../policy/reference.js';
import { STREAM } from '../random/threefry.js';
import { EXPLORED, type LiveVisits, liveVisits } from './online-visits.js';
import { SimulatedWorld } from './simulate.js';
import { DAY } from './world/options.js';
import { KINDS } from './world/rates.js';
import type { World } from './world/world.js';

/** How live visits are served. */
export interface OnlineOptions {
  /** Seed of the learner's own draws; default 0. */
  readonly seed?: number;
  /** Number of the learner's run, as that of a replica in `replay`: other draws under the same seed. Default 0. */
  readonly run?: number;
  /** Which visits: a number other than that of the world's log. The same number: the same visits. Default: the log's plus 1. */
  readonly traffic?: number;
  /** Freeze decisions between updates: a number of live visits, or a period in milliseconds. Default: learn at once. */
  readonly updateEvery?: number | { readonly period: number };
  /**
   * `served` (default): learners are fed every visit that they serve. `log`: the world's exploration log as time goes on, and
   * nothing of their own, as the serving models of the paper.
   */
  readonly learnFrom?: 'served' | 'log';
  /** Length of the periods of the result in milliseconds, from the world's start; default a day. */
  readonly period?: number;
  /** Put the learner's final state into the result. */
  readonly state?: boolean;
  /** Ends the run where it is aborted: the promise rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
}

const ONLINE_OPTIONS: OptionShape<OnlineOptions> = {
  // Ranges are checked below, and traffic with the visits.
  seed: option.elsewhere,
  run: option.elsewhere,
  traffic: option.elsewhere,
  updateEvery: option.every('visits'),
  learnFrom: option.oneOf('served', 'log'),
  period: option.elsewhere,
  state: option.flag,
  signal: option.signal,
};

/** Views and clicks. */
export interface Served {
  views: number;
  clicks: number;
}

/** What a policy or learner earned live. */
export interface OnlineResult {
  /** Name of the policy or learner. */
  readonly name: string;
  /** Live visits. */
  readonly visits: number;
  /** Visits at which an article was shown; less than `visits` where a fixed policy named no candidate. */
  readonly views: number;
  /** Clicks on what was shown. */
  readonly clicks: number;
  /** Clicks per view; `null` without views. */
  readonly value: number | null;
  /** Mean probability of a click over the views, business rules included: `value` without the luck of clicks. */
  readonly expected: number | null;
  /** In arm order, those never shown too. */
  readonly articles: readonly ({ readonly id: string } & Readonly<Served>)[];
  /** Consecutive; `start` in milliseconds since 1970-01-01 UTC. */
  readonly periods: readonly ({ readonly start: number } & Readonly<Served>)[];
  /** `null` for fixed policies, and where not asked for. */
  readonly state: Record<string, unknown> | null;
}

/** Visits between two looks at the signal. */
const BATCH = 65_536;

/**
 * Serves live visits, spread evenly over the world's days: the same people, articles and hours as in its log, other visits.
 *
 * @param entry one fixed policy (`{ family: … }`, `policyFunction(…)`) or one learner (`emp()`, `{ name, create }`).
 * @throws InputError for entries that are not one policy or learner, or do not fit the world, and for options out of range.
 */
export async function online(
  world: World,
  entry: PolicyInput | LearnerInput,
  visits: number,
  options: OnlineOptions = {},
): Promise<OnlineResult> {
  checkOptions(options, ONLINE_OPTIONS, 'options');
  const { period = DAY, signal } = options;
  checkRanges(options);
  const explores = options.learnFrom === 'log';
  const logged = world instanceof SimulatedWorld ? world : null;
  if (explores && logged === null) {
    throw new InputError({ problem: 'this world has no log to learn from', hint: 'simulate({ events: …, … })' });
  }
  const number = options.traffic ?? (logged === null ? 1 : logged.traffic + 1);
  if (number === logged?.traffic) {
    const problem = "these visits are those of the world's log";
    throw new InputError({ path: 'traffic', problem, got: String(number), needed: 'another number' });
  }
  if (isPolicy(entry) && explores) throw new InputError({ problem: 'a fixed policy learns nothing, from no log' });
  const live = liveVisits(world, visits, number, explores ? logged : null);
  const server = isPolicy(entry) ? await policyServer(entry, live.log) : await learnerServer(entry, live.log, options);
  const run = new Run(world, live, server, options.updateEvery ?? 1, period, explores);
  for (let from = 0; from < live.log.events; from += BATCH) {
    signal?.throwIfAborted();
    run.serve(from, Math.min(from + BATCH, live.log.events));
    await new Promise((resolve) => setTimeout(resolve));
  }
  return {
    name: server.name,
    visits,
    ...run.result(),
    state: options.state === true ? (server.learner?.state() ?? null) : null,
  };
}

function isPolicy(entry: PolicyInput | LearnerInput): entry is PolicyInput {
  return typeof entry === 'object' && entry !== null && 'family' in entry;
}

/** What decides. */
interface Server {
  readonly name: string;
  /** Arm index; −1: none. */
  choose(event: number): number;
  /** Nothing where it is a fixed policy. */
  learn(event: number, arm: number, steps: number): void;
  readonly learner: Learner | null;
}

async function policyServer(entry: PolicyInput, log: EventLog): Promise<Server> {
  const [compiled] = await compilePolicySet(parsePolicySet([entry]), log);
  if (compiled.policies !== 1) tooMany(compiled.policies, 'policies');
  const choice = referenceChoice(compiled, log);
  return { name: compiled.names[0], choose: (event) => choice(0, event), learn: () => {}, learner: null };
}

async function learnerServer(entry: LearnerInput, log: EventLog, options: OnlineOptions): Promise<Server> {
  const settings = await prepareLearners(parseLearnerSet([entry]), log);
  if (settings.length !== 1) tooMany(settings.length, 'settings');
  const [{ name, place, create }] = settings;
  const learner = create(log, new Draws(options.seed ?? 0, options.run ?? 0, STREAM.exploration));
  const telling = <T>(event: number, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw brokenAt(error, { name, place, replica: null, log, event });
    }
  };
  return {
    name,
    choose: (event) => telling(event, () => learner.choose(event, candidatesAt(log, event))),
    learn: (event, arm, steps) => telling(event, () => learner.update(event, arm, steps, steps)),
    learner,
  };
}

function tooMany(count: number, what: string): never {
  throw new InputError({
    problem: 'live visits are served by one at a time',
    got: `${count} ${what}`,
    needed: 'an entry with one',
    hint: 'call online once for each',
  });
}

/** One run over all visits. */
class Run {
  private readonly articles: Served[];
  private readonly periods: Served[];
  private readonly waiting: number[] = [];
  private readonly rules: number[];
  private expected = 0;
  private served = 0;
  private epoch = Number.NaN;

  constructor(
    private readonly world: World,
    private readonly live: LiveVisits,
    private readonly server: Server,
    private readonly updateEvery: number | { readonly period: number },
    private readonly period: number,
    private readonly explores: boolean,
  ) {
    this.articles = world.arms.ids.map(() => ({ views: 0, clicks: 0 }));
    this.periods = Array.from({ length: Math.ceil(world.length / period) }, () => ({ views: 0, clicks: 0 }));
    this.rules = Array.from({ length: world.dayCount }, (_, day) => world.businessRule(day));
  }

  /** Events `from .. to` of the live log. */
  serve(from: number, to: number): void {
    const { visit } = this.live;
    for (let t = from; t < to; t++) {
      this.beginEpoch(t);
      const number = visit === null ? t : visit[t];
      if (number === EXPLORED) this.learn(t);
      else if (this.show(t, number) && !this.explores) this.learn(t);
    }
  }

  /** What waits is learnt where a new epoch begins. */
  private beginEpoch(t: number): void {
    const { updateEvery } = this;
    const time = this.live.log.time as Float64Array;
    const epoch =
      typeof updateEvery === 'number'
        ? Math.floor(this.served / updateEvery)
        : Math.floor(time[t] / updateEvery.period);
    if (epoch === this.epoch) return;
    this.epoch = epoch;
    for (const event of this.waiting) this.update(event);
    this.waiting.length = 0;
  }

  /** Serves event t, live visit `number`; false where nothing was shown. */
  private show(t: number, number: number): boolean {
    const { world, live, server } = this;
    const { log } = live;
    const arm = server.choose(t);
    this.served++;
    if (candidateNumber(candidatesAt(log, t), arm) < 0) {
      if (server.learner === null) return false;
      const problem = `learner ${server.name} chose what is not on the page`;
      throw new InputError({ problem, got: `arm ${arm}`, needed: 'one of the candidates' });
    }
    const time = (log.time as Float64Array)[t] - world.start;
    const p = world.rates.probability(arm, time, live.shares, live.row[t] * KINDS) * this.rules[Math.floor(time / DAY)];
    const click = live.traffic.clicks(number, p) ? 1 : 0;
    log.arm[t] = arm;
    log.payoff.steps[t] = click;
    for (const tally of [this.articles[arm], this.periods[Math.floor(time / this.period)]]) {
      tally.views++;
      tally.clicks += click;
    }
    this.expected += p;
    return true;
  }

  private learn(t: number): void {
    if (this.server.learner === null) return;
    if (this.updateEvery === 1) this.update(t);
    else this.waiting.push(t);
  }

  private update(t: number): void {
    const { log } = this.live;
    const steps = log.payoff.steps[t];
    this.server.learn(t, log.arm[t], steps);
  }

  result(): Pick<OnlineResult, 'views' | 'clicks' | 'value' | 'expected' | 'articles' | 'periods'> {
    const { world, articles, periods, period } = this;
    for (const event of this.waiting) this.update(event);
    this.waiting.length = 0;
    const views = articles.reduce((sum, { views }) => sum + views, 0);
    const clicks = articles.reduce((sum, { clicks }) => sum + clicks, 0);
    return {
      views,
      clicks,
      value: views === 0 ? null : clicks / views,
      expected: views === 0 ? null : this.expected / views,
      articles: articles.map((tally, a) => ({ id: world.arms.ids[a], ...tally })),
      periods: periods.map((tally, i) => ({ start: world.start + i * period, ...tally })),
    };
  }
}

function checkRanges({ seed = 0, run = 0, updateEvery = 1, period = DAY }: OnlineOptions): void {
  const refuse = (path: string, got: unknown, needed: string): never => {
    throw new InputError({ path, problem: 'this option of live visits is not usable', got: String(got), needed });
  };
  const isWord = (value: number): boolean => Number.isInteger(value) && value >= 0 && value < 2 ** 32;
  if (!isWord(seed)) refuse('seed', seed, 'a whole number in 0..4294967295');
  if (!isWord(run)) refuse('run', run, 'a whole number in 0..4294967295');
  const every = typeof updateEvery === 'number' ? updateEvery : updateEvery.period;
  if (
    !(Number.isFinite(every) && (typeof updateEvery === 'number' ? Number.isInteger(every) && every >= 1 : every > 0))
  ) {
    refuse('updateEvery', every, 'a whole number of visits of at least 1, or { period: milliseconds above 0 }');
  }
  if (!(Number.isFinite(period) && period >= 1)) refuse('period', period, 'at least 1 millisecond');
}
