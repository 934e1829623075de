// How far can "which one do I ship?" be trusted? Logs of worlds whose truth is known are evaluated again and again: how often all bands
// hold at once, whether the best policy is in the set, whether the winner's interval and the lower bounds on differences hold, beside
// what the intervals of each policy by itself would have said. One world has policies from guessing to nearly the best, in the other
// they are at random; logs are uniform, or drawn by a softmax policy with weights of 100 at most. In the last nothing differs at all.
// Run: node examples/trust.mjs [--logs 200] [--policies 500] [--draws 2000] [--seed 1] [--alike 1000] [--csv FILE]
import { evaluate, logFromColumns } from 'hindcast';
import { STREAM, threefry2x32, toUnit } from '#dist/random/threefry.js';
import { count, isMain, mean, optionsFrom, table, writeCsv } from './lib/script.mjs';

const [ARMS, DIMENSION, CONTEXTS, CLICKS] = [20, 6, 1000, 0.03];
const ALONE = { device: 'cpu', threads: 1 };
/** Largest weight of the softmax logs. */
const MOST_WEIGHT = 100;

export const CELLS = [
  { name: 'spread, 20,000 visits', world: 'spread', visits: 20_000 },
  { name: 'flat, 20,000 visits', world: 'flat', visits: 20_000 },
  { name: 'spread, 60,000 visits', world: 'spread', visits: 60_000 },
  { name: 'flat, 60,000 visits', world: 'flat', visits: 60_000 },
  { name: 'spread, softmax, 50,000', world: 'spread', visits: 50_000, softmax: true },
  { name: 'flat, softmax, 50,000', world: 'flat', visits: 50_000, softmax: true },
];

function randomness(seed, stream) {
  const out = new Uint32Array(2);
  let next = 0;
  const uniform = () => {
    threefry2x32(seed, STREAM.simulation, next++, stream, out);
    return toUnit(out[0], out[1]);
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal };
}

const dot = (a, b) => a.reduce((sum, value, j) => sum + value * b[j], 0);
const bestOf = (scores) => scores.indexOf(Math.max(...scores));

/** Who may come, how each article does with each, and policies with their true values. */
export function makeWorld(kind, policies, seed, alike = false) {
  const { normal } = randomness(seed, 0);
  const contexts = Array.from({ length: CONTEXTS }, () => [
    ...Array.from({ length: DIMENSION - 1 }, () => normal()),
    1,
  ]);
  const theta = Array.from({ length: ARMS }, () => Array.from({ length: DIMENSION }, () => 0.35 * normal()));
  const raw = contexts.map((x) => theta.map((w) => Math.exp(dot(w, x))));
  const scale = CLICKS / mean(raw.flat());
  const rates = raw.map((row) => row.map((rate) => (alike ? CLICKS : Math.min(0.5, rate * scale))));
  const weights = Array.from({ length: policies }, (_, p) => {
    // From chance to nearly what articles are like.
    const known = kind === 'spread' ? p / policies : 0;
    return theta.map((w) => w.map((value) => known * value + (1 - known) * 0.35 * normal()));
  });
  const truth = weights.map((own) => mean(contexts.map((x, c) => rates[c][bestOf(own.map((w) => dot(w, x)))])));
  const serving = contexts.map((x) => {
    const scores = theta.map((w) => Math.exp(2 * dot(w, x)));
    const sum = scores.reduce((a, b) => a + b);
    const least = 1 / MOST_WEIGHT;
    return scores.map((score) => least + (1 - ARMS * least) * (score / sum));
  });
  return { contexts, rates, weights, truth, serving };
}

/** A log, and the true rate of each click that it might have had. */
export function makeLog({ contexts, rates, serving }, { visits, softmax = false }, seed, number) {
  const { uniform } = randomness(seed, number);
  const [context, arm, payoff, propensity, rate] = [[], [], [], [], []];
  for (let t = 0; t < visits; t++) {
    const c = Math.floor(uniform() * CONTEXTS);
    let a = Math.floor(uniform() * ARMS);
    if (softmax) {
      let left = uniform();
      for (a = 0; a < ARMS - 1 && left >= serving[c][a]; a++) left -= serving[c][a];
    }
    context.push(contexts[c]);
    arm.push(a);
    rate.push(rates[c][a]);
    payoff.push(Number(uniform() < rates[c][a]));
    propensity.push(softmax ? serving[c][a] : 1 / ARMS);
  }
  const arms = Array.from({ length: ARMS }, (_, a) => a);
  return { log: logFromColumns({ context, arm, payoff, propensity, arms }), rate };
}

/** What the log earns per visit, in truth. */
function loggedTruth({ rates, serving }, { softmax = false }) {
  return mean(
    rates.map((row, c) => row.reduce((sum, rate, a) => sum + rate * (softmax ? serving[c][a] : 1 / ARMS), 0)),
  );
}

/** One log: what was said, and whether it is so. */
async function judge(world, cell, { draws, seed, number }, baseline) {
  const { weights, truth } = world;
  const result = await evaluate({
    log: makeLog(world, cell, seed, number).log,
    policies: [{ family: 'linear', weights }],
    ...{ baseline, draws, drawSeed: number, ...ALONE },
  });
  const { selection, policies } = result;
  const { winner, bestSet } = selection;
  const within = ([low, high], value) => low <= value && value <= high;
  const of = baseline === 'log' ? loggedTruth(world, cell) : truth[baseline];
  const first = policies.find(({ index }) => index === winner.index);
  const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
  return {
    cell: cell.name,
    bands: policies.every(({ index, band }) => within(band, truth[index])),
    alone: policies.every(({ index, interval }) => within(interval, truth[index])),
    width: mean(policies.map(({ band: [low, high] }) => high - low)),
    set: bestSet.indices.includes(bestOf(truth)),
    size: bestSet.size,
    winner: within(winner.interval, truth[winner.index]),
    naive: within(first.interval, truth[winner.index]),
    uncorrected: winner.uncorrected - truth[winner.index],
    corrected: winner.corrected - truth[winner.index],
    lower: winner.lower <= truth[winner.index],
    differences: policies.every(({ index, difference: { lower } }) => lower <= truth[index] - of),
    better: policies.filter(({ difference }) => difference.better).length,
  };
}

/** Per cell: shares of the logs, and means. */
export async function runTrust({ logs = 200, policies = 500, draws = 2000, seed = 1 } = {}, cells = CELLS) {
  const worlds = { spread: makeWorld('spread', policies, seed), flat: makeWorld('flat', policies, seed) };
  const rows = [];
  for (const cell of cells) {
    const world = worlds[cell.world];
    // A policy of the better third, and the log itself.
    const order = [...world.truth.keys()].sort((a, b) => world.truth[a] - world.truth[b]);
    const middling = order[Math.floor(0.7 * policies)];
    const found = [];
    for (let number = 1; number <= logs; number++) {
      // The one and the other in turn.
      const baseline = number % 2 === 0 ? 'log' : middling;
      found.push({ baseline, ...(await judge(world, cell, { draws, seed, number }, baseline)) });
    }
    const against = (log) => found.filter(({ baseline }) => (baseline === 'log') === log);
    const share = (key, all = found) => mean(all.map((one) => Number(one[key])));
    rows.push({
      ...{ cell: cell.name, logs },
      ...{ bands: share('bands'), alone: share('alone'), width: share('width') },
      ...{ set: share('set'), size: share('size') },
      ...{ winner: share('winner'), naive: share('naive'), lower: share('lower') },
      ...{ uncorrected: share('uncorrected'), corrected: share('corrected') },
      ...{ versusLog: share('differences', against(true)), versusPolicy: share('differences', against(false)) },
      ...{ betterThanLog: share('better', against(true)), betterThanPolicy: share('better', against(false)) },
    });
  }
  return rows;
}

/** Where all policies are alike: the share of logs in which any is called better than the log, or than one of them, in turn. */
export async function runAlike({ logs = 1000, policies = 100, draws = 2000, seed = 1 } = {}) {
  const world = makeWorld('flat', policies, seed, true);
  const claims = { log: [], policy: [] };
  for (let number = 1; number <= logs; number++) {
    const name = number % 2 === 0 ? 'log' : 'policy';
    const cell = { name: 'alike', visits: 5000 };
    const { better } = await judge(world, cell, { draws, seed, number }, name === 'log' ? 'log' : 0);
    claims[name].push(Number(better > 0));
  }
  return { logs, log: mean(claims.log), policy: mean(claims.policy) };
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;
const thousandths = (value) => (1000 * value).toFixed(1);

if (isMain(import.meta.url)) {
  const options = optionsFrom({ logs: 200, policies: 500, draws: 2000, seed: 1, alike: 1000 });
  const rows = await runTrust(options);
  console.log(`${count(options.logs)} logs of each kind, ${count(options.policies)} policies; level 95 %\n`);
  console.log(
    table(
      ['share of logs that hold', 'all bands', 'intervals', 'width', 'best in set', 'of'],
      rows.map((r) => [
        r.cell,
        percent(r.bands),
        percent(r.alone),
        thousandths(r.width),
        percent(r.set),
        r.size.toFixed(0),
      ]),
    ),
  );
  console.log(
    `\n${table(
      ['the winner', 'interval', 'its own', 'lower end', 'uncorrected', 'corrected'],
      rows.map((r) => [
        r.cell,
        percent(r.winner),
        percent(r.naive),
        percent(r.lower),
        thousandths(r.uncorrected),
        thousandths(r.corrected),
      ]),
    )}`,
  );
  console.log(
    `\n${table(
      ['all differences', 'to the log', 'better', 'to a policy', 'better'],
      rows.map((r) => [
        r.cell,
        percent(r.versusLog),
        r.betterThanLog.toFixed(1),
        percent(r.versusPolicy),
        r.betterThanPolicy.toFixed(1),
      ]),
    )}`,
  );
  console.log(
    '\nwidth, uncorrected and corrected: means in thousandths, of the error where it is a value; of, better: means.',
  );
  const alike = options.alike === 0 ? null : await runAlike({ ...options, logs: options.alike, policies: 100 });
  if (alike !== null)
    console.log(
      `\nWhere all policies are alike, some are called better than the log in ${percent(alike.log)} and than one of them in ${percent(alike.policy)} of ${count(alike.logs / 2)} logs each.`,
    );
  if (options.csv !== undefined)
    console.log(await writeCsv(options.csv, Object.keys(rows[0]), rows.map(Object.values)));
}
