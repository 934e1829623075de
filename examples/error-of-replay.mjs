// The paper's second question: how fast does the error of replay fall with T, its valid events? As 1/√T (Theorem 2).
// Every article of a page (shown always) and the serving policy (the best article every five minutes) are replayed until T
// valid events, on many logs for each T; the error is that against the true value on the visits it took.
// Run: node examples/error-of-replay.mjs [--logs 60] [--largest 1600] [--seed 1] [--csv FILE]   (logs for each T)
//
// How good is the slope? Fitted to m sizes T, each twice the one before, it has the standard error s / (ln 2 √((m³ − m) / 12)),
// s = √(2 + κ) / (2 √n): that of the logarithm of a root mean square of n errors of excess kurtosis κ. So that
// s is small, all articles are replayed, whose valid events are others; and a T has logs of its own, for errors in one
// log rise and fall together. The script measures s instead of trusting the formula.
import { evaluate, simulate, trueValues } from 'hindcast';
import { isMain, line, mean, optionsFrom, standardDeviation, table, writeCsv } from './lib/script.mjs';

const PERIOD = 5 * 60_000;
const POOL = 20;
/** With 25 valid events many an article has no click at all, and its error says little. */
const SMALLEST = 50;
/** Articles that the table shows. */
const SHOWN = 5;

/** The article with the best smoothed click rate of a log in each five minutes serves the next five: a fixed policy. */
function servingPolicy({ log, start, length }) {
  const K = log.arms.ids.length;
  const [clicks, views] = [new Float64Array(K), new Float64Array(K)];
  const rate = (a) => (clicks[a] + 3) / (views[a] + 100);
  const all = Array.from({ length: K }, (_, a) => a);
  const arms = [];
  let t = 0;
  for (let end = start; end < start + length; end += PERIOD) {
    for (; t < log.events && log.time[t] < end; t++) {
      views[log.arm[t]]++;
      clicks[log.arm[t]] += log.payoff.steps[t];
    }
    arms.push(log.arms.ids[all.reduce((best, a) => (rate(a) > rate(best) ? a : best))]);
  }
  const origin = new Date(start).toISOString();
  return { family: 'table', period: '5m', origin, tables: [{ name: 'serving policy', arms }] };
}

/**
 * The world's traffic for T valid events: a day of it has T on average, whatever T is, for click rates move within the day.
 * Ten standard deviations more follow, so that no log ends early.
 */
function visitsFor(T) {
  const days = 1 + 10 / Math.sqrt(T);
  return { days, events: Math.ceil(days * POOL * T) };
}

/** Per policy and T: the squared error of each log, and the mean variance of a click. */
export async function runErrorOfReplay({ logs = 60, largest = 1600, seed = 1 } = {}) {
  const still = { seed, changesPerHour: 0, pool: POOL };
  const sizes = [];
  for (let T = SMALLEST; T <= largest; T *= 2) sizes.push(T);
  // The policy is made from traffic 0, and replayed on others.
  const longest = visitsFor(SMALLEST).days;
  const explored = simulate({ events: Math.ceil(POOL * largest * longest), days: longest, ...still });
  const policies = [
    ...explored.log.arms.ids.map((id) => ({ family: 'constant', arms: [id] })),
    servingPolicy(explored),
  ];
  const found = policies.map(() => sizes.map(() => ({ squares: [], variances: [] })));
  const names = [];
  for (const [i, T] of sizes.entries()) {
    for (let number = 1; number <= logs; number++) {
      const world = simulate({ ...visitsFor(T), ...still, traffic: i * logs + number });
      const result = await evaluate({ log: world.log, policies, validEvents: T, device: 'cpu', threads: 1 });
      for (const { index, name, value, matches, consumed } of result.policies) {
        if (matches !== T) throw new Error(`${name}: the log ended after ${matches} of ${T} valid events`);
        const [truth] = await trueValues(world, [policies[index]], { events: consumed });
        found[index][i].squares.push((value - truth.value) ** 2);
        found[index][i].variances.push(truth.value * (1 - truth.value));
        names[index] = name;
      }
    }
  }
  const rows = found.map((bySize, index) => ({
    name: names[index],
    theory: bySize.map(({ variances }, i) => Math.sqrt(mean(variances) / sizes[i])),
    ...fallOf(
      sizes,
      bySize.map(({ squares }) => squares),
    ),
  }));
  // What the policies of one log have in common is not taken for independent.
  const together = sizes.map((_, i) =>
    Array.from({ length: logs }, (_, l) => mean(found.map((bySize) => bySize[i].squares[l]))),
  );
  const theory = sizes.map((_, i) => Math.sqrt(mean(rows.map((row) => row.theory[i] ** 2))));
  return { sizes, rows, all: { name: 'all', theory, ...fallOf(sizes, together) } };
}

/**
 * Root mean squared error per T; the least-squares slope of its logarithm on that of T, and the slope's standard error.
 * @param squares per T: squared errors of independent logs.
 */
function fallOf(sizes, squares) {
  const rms = squares.map((ofSize) => Math.sqrt(mean(ofSize)));
  // The logarithm of a mean M of n has the standard error deviation / (M √n); that of its root half of it.
  const errors = squares.map((ofSize) => standardDeviation(ofSize) / Math.sqrt(ofSize.length) / mean(ofSize) / 2);
  const x = sizes.map(Math.log);
  const centred = x.map((value) => value - mean(x));
  const spread = centred.reduce((sum, c) => sum + c * c, 0);
  const variance = centred.reduce((sum, c, i) => sum + (c * errors[i]) ** 2, 0) / spread ** 2;
  return { rms, slope: line(x, rms.map(Math.log)).slope, standardError: Math.sqrt(variance) };
}

if (isMain(import.meta.url)) {
  const options = optionsFrom({ logs: 60, largest: 1600, seed: 1 });
  const { sizes, rows, all } = await runErrorOfReplay(options);
  console.log(`Root mean squared error of replay after T valid events, over ${options.logs} logs for each T;`);
  console.log(`${SHOWN} of ${rows.length - 1} articles, the serving policy, and all of these together.`);
  console.log('c/√T: what clicks alone would give, c² = p (1 − p).\n');
  const shown = [...rows.slice(0, SHOWN), rows[rows.length - 1], all];
  const short = shown.map(({ name }) => name.replace('constant ', '').replace(' policy', ''));
  const fallOfTheory = line(sizes.map(Math.log), all.theory.map(Math.log)).slope;
  const lines = [
    ...sizes.map((T, i) => [T, ...shown.map(({ rms }) => rms[i].toFixed(4)), all.theory[i].toFixed(4)]),
    ['slope', ...shown.map(({ slope }) => slope.toFixed(3)), fallOfTheory.toFixed(3)],
    ['±', ...shown.map(({ standardError }) => standardError.toFixed(3)), ''],
  ];
  console.log(table(['T', ...short, 'c/√T'], lines));
  console.log('\nSlope of log error on log T, with its standard error:');
  console.log(`${all.slope.toFixed(3)} ± ${all.standardError.toFixed(3)} over all; 1/√T has −0.5.`);
  if (options.csv !== undefined) {
    const cells = [...rows, all].flatMap(({ name, rms, theory }) => sizes.map((T, i) => [name, T, rms[i], theory[i]]));
    console.log(await writeCsv(options.csv, ['policy', 'valid_events', 'rms_error', 'clicks_alone'], cells));
  }
}
