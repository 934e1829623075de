// Which estimator for a log that is not uniform? One policy is estimated on many simulated logs of an epsilon-greedy policy, by every
// estimator, and laid beside its true value on the same visits: bias, root mean squared error, and how often the 95 % interval
// holds the truth, at three strengths of skew. The rarer the other articles were shown, the heavier the weights of their events.
// Run: node examples/estimators.mjs [--logs 200] [--visits 4000] [--seed 1] [--csv FILE]
import { evaluate, simulate } from 'hindcast';
import { count, isMain, mean, optionsFrom, standardDeviation, table, writeCsv } from './lib/script.mjs';

/** ε of the logging policy. */
const EPSILONS = [0.5, 0.1, 0.02];
/** Articles on the page. */
const POOL = 5;
const ALONE = { device: 'cpu', threads: 1 };
const ESTIMATORS = [
  ...['snips', 'ips', 'snips-clip', 'ips-clip', 'cressie-read'],
  ...['dm', 'dr', 'sndr', 'dr-clip', 'switch-dr', 'dros'],
];
/** M of clipped weights and τ of switch-dr; λ of dros. */
const TOLD = { clip: 20, switch: 20, shrinkage: 100 };
/** Those that are run apart: with M chosen by the payoffs of each log, and on what thinning keeps of it. */
const CHOSEN = ['snips-clip', 'ips-clip', 'dr-clip'];
const apart = (name) => `${name}, auto`;
const THINNED = 'replay, thinned';
const NAMES = [...ESTIMATORS, ...CHOSEN.map(apart), THINNED];

/** A page that stands still, so that a policy is worth the same on every log but for who visits. */
function worldOf({ visits, seed }, epsilon, traffic) {
  const still = { days: 1, drift: 0, changesPerHour: 0, visitsPerSession: 1, pool: POOL, clickRates: [0.02, 0.2] };
  return simulate({ ...still, events: visits, seed, traffic, logging: { policy: 'epsilon-greedy', epsilon } });
}

/** An article for each kind of user, whatever these like. */
function policyFor({ log }) {
  const choices = Object.fromEntries(log.arms.ids.map((id, kind) => [kind + 1, id]));
  return { family: 'table', keys: ['segment'], tables: [{ name: 'by kind of user', choices }] };
}

/** Every estimate of one log: error against the truth, standard error, and whether the interval holds the truth. */
async function estimatesOf(options, epsilon, number) {
  const world = worldOf(options, epsilon, number);
  const policies = [policyFor(world)];
  const [{ perVisit: truth }] = await world.trueValues(policies);
  const { log } = world;
  const estimate = async (more) => (await evaluate({ log, policies, ...more, ...ALONE })).policies[0];
  const model = { foldBy: 'event' };
  const whole = await estimate({ estimators: ESTIMATORS, ...TOLD, ...model });
  const { estimates: chosen } = await estimate({ estimators: CHOSEN, clip: 'auto', ...model });
  const thinned = await estimate({ thin: true, leastPropensity: epsilon, thinSeed: number });
  const all = {
    ...whole.estimates,
    ...Object.fromEntries(CHOSEN.map((name) => [apart(name), chosen[name]])),
    [THINNED]: thinned,
  };
  return Object.entries(all).map(([name, { value, standardError, interval }]) => ({
    ...{ epsilon, number, name, truth, value, standardError },
    error: value === null ? null : value - truth,
    held: interval[0] <= truth && truth <= interval[1],
  }));
}

/** Rows per strength of skew and estimator, and what they are made of. */
export async function runEstimators({ logs = 200, visits = 4000, seed = 1 } = {}) {
  const raw = [];
  for (const epsilon of EPSILONS)
    for (let number = 1; number <= logs; number++) raw.push(...(await estimatesOf({ visits, seed }, epsilon, number)));
  const rows = EPSILONS.flatMap((epsilon) =>
    NAMES.map((name) => {
      const all = raw.filter((one) => one.epsilon === epsilon && one.name === name);
      // A log of which thinning keeps no event that matches has no estimate.
      const errors = all.flatMap(({ error }) => error ?? []);
      const said = all.flatMap(({ standardError }) => (standardError === null ? [] : standardError ** 2));
      return {
        ...{ epsilon, name, rated: errors.length },
        bias: mean(errors),
        biasError: standardDeviation(errors) / Math.sqrt(errors.length),
        rmse: Math.sqrt(mean(errors.map((error) => error ** 2))),
        said: said.length === 0 ? null : Math.sqrt(mean(said)),
        held: mean(all.map(({ held }) => Number(held))),
      };
    }),
  );
  return { rows, raw, truth: mean(raw.map(({ truth }) => truth)) };
}

if (isMain(import.meta.url)) {
  const options = optionsFrom({ logs: 200, visits: 4000, seed: 1 });
  if (options.logs < 2) {
    console.error('--logs: at least 2 are needed, for a standard error');
    process.exit(2);
  }
  const { rows, raw, truth } = await runEstimators(options);
  console.log(
    `A policy worth ${truth.toFixed(4)} clicks per visit, on ${options.logs} logs of ${count(options.visits)} visits each.`,
  );
  console.log('bias ±: mean of estimate − truth, and its standard error; RMSE: root mean');
  console.log('squared error; said: that of the standard errors; held: intervals at 95 %');
  console.log('that hold the truth.');
  const text = (value) => (Number.isFinite(value) ? value.toFixed(4) : '–');
  for (const epsilon of EPSILONS) {
    console.log(`\nε = ${epsilon}: weights up to ${count(POOL / epsilon)}\n`);
    const cells = rows
      .filter((row) => row.epsilon === epsilon)
      .map(({ name, bias, biasError, rmse, said, held }) => [
        name,
        ...[bias, biasError, rmse, said].map(text),
        `${(100 * held).toFixed(1)} %`,
      ]);
    console.log(table(['estimator', 'bias', '±', 'RMSE', 'said', 'held'], cells));
  }
  if (options.csv !== undefined) {
    const cells = raw.map((one) => [
      ...[one.epsilon, one.number, one.name.replaceAll(',', ''), one.truth, one.value, one.standardError],
      one.held,
    ]);
    const head = ['epsilon', 'log', 'estimator', 'truth', 'value', 'standard_error', 'interval_holds'];
    console.log(`\n${await writeCsv(options.csv, head, cells)}`);
  }
}
