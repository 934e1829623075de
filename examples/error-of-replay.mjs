// The paper's second question: how fast does the error of replay fall with T, its valid events? As 1/√T (Theorem 2).
// Several articles (shown always) and the serving policy (the best article every five minutes) are replayed on many logs
// of the same day until T valid events; the error is that against the true value on the visits it took.
// Run: node examples/error-of-replay.mjs [--logs 60] [--largest 1600] [--seed 1] [--csv FILE]
import { evaluate, simulate, trueValues } from 'hindcast';
import { isMain, line, numbersFrom, table, writeCsv } from './lib/script.mjs';

const PERIOD = 5 * 60_000;
const POOL = 20;
const ARTICLES = 5;
const SMALLEST = 25;

/** The article with the best smoothed click rate of a log in each five minutes serves the next five: a fixed policy. */
function servingPolicy({ log, start }) {
  const K = log.arms.ids.length;
  const [clicks, views] = [new Float64Array(K), new Float64Array(K)];
  const rate = (a) => (clicks[a] + 3) / (views[a] + 100);
  const arms = [];
  let t = 0;
  for (let end = start + PERIOD; end <= start + 86_400_000; end += PERIOD) {
    const all = Array.from({ length: K }, (_, a) => a);
    arms.push(log.arms.ids[all.reduce((best, a) => (rate(a) > rate(best) ? a : best))]);
    for (; t < log.events && log.time[t] < end; t++) {
      views[log.arm[t]]++;
      clicks[log.arm[t]] += log.payoff.steps[t];
    }
  }
  const origin = new Date(start).toISOString();
  return { family: 'table', period: '5m', origin, tables: [{ name: 'serving policy', arms }] };
}

/** Root of the mean squared error per policy and T, and the slope of its logarithm on that of T. */
export async function runErrorOfReplay({ logs = 60, largest = 1600, seed = 1 } = {}) {
  const still = { seed, days: 1, changesPerHour: 0, pool: POOL };
  // Five matches in a hundred events: a tenth more, and the largest T is found but for one log in many thousands.
  const events = Math.ceil(1.1 * POOL * largest + 10 * POOL * Math.sqrt(largest));
  const explored = simulate({ events, ...still });
  const arms = explored.log.arms.ids.slice(0, ARTICLES);
  const policies = [{ family: 'constant', arms }, servingPolicy(explored)];
  const sizes = [];
  for (let T = SMALLEST; T <= largest; T *= 2) sizes.push(T);
  const errors = Array.from({ length: ARTICLES + 1 }, () => sizes.map(() => ({ squares: 0, variance: 0 })));
  const names = [];
  for (let number = 1; number <= logs; number++) {
    const world = simulate({ events, ...still, traffic: number });
    for (const [i, T] of sizes.entries()) {
      const result = await evaluate({ log: world.log, policies, validEvents: T, device: 'cpu', threads: 1 });
      for (const { index, name, value, matches, consumed } of result.policies) {
        if (matches !== T) throw new Error(`${name}: the log ended after ${matches} of ${T} valid events`);
        const truth = (await trueValues(world, [policyAt(policies, arms, index)], { events: consumed }))[0].value;
        errors[index][i].squares += (value - truth) ** 2;
        errors[index][i].variance += truth * (1 - truth);
        names[index] = name;
      }
    }
  }
  const root = (sum) => Math.sqrt(sum / logs);
  const logOf = (values) => values.map((value) => Math.log(value));
  const rows = errors.map((bySize, index) => {
    const rms = bySize.map(({ squares }) => root(squares));
    const theory = bySize.map(({ variance }, i) => root(variance) / Math.sqrt(sizes[i]));
    return { name: names[index], rms, theory, slope: line(logOf(sizes), logOf(rms)).slope };
  });
  const pooled = sizes.map((_, i) => Math.sqrt(rows.reduce((sum, { rms }) => sum + rms[i] ** 2, 0) / rows.length));
  return { sizes, rows, pooled, slope: line(logOf(sizes), logOf(pooled)).slope };
}

/** The policy of an index, as an entry of its own. */
function policyAt([, serving], arms, index) {
  return index < arms.length ? { family: 'constant', arms: [arms[index]] } : serving;
}

if (isMain(import.meta.url)) {
  const options = numbersFrom({ logs: 60, largest: 1600, seed: 1 });
  const { sizes, rows, pooled, slope } = await runErrorOfReplay(options);
  const serving = rows[rows.length - 1];
  console.log(`Root mean squared error of replay over ${options.logs} logs, by valid events T;`);
  console.log('c/√T: what clicks alone would give, c² = p (1 − p)\n');
  const cells = sizes.map((T, i) => [
    T,
    ...rows.map(({ rms }) => rms[i].toFixed(4)),
    serving.theory[i].toFixed(4),
    pooled[i].toFixed(4),
  ]);
  const short = rows.map(({ name }) => name.replace('constant ', '').replace(' policy', ''));
  console.log(table(['T', ...short, 'c/√T', 'all'], cells));
  console.log(`\nSlope of log error on log T: ${slope.toFixed(3)} over all; −0.5 is 1/√T.`);
  console.log(
    table(
      ['policy', 'slope'],
      rows.map((row) => [row.name, row.slope.toFixed(3)]),
    ),
  );
  if (options.csv !== undefined) {
    const all = rows.flatMap(({ name, rms, theory }) => sizes.map((T, i) => [name, T, rms[i], theory[i]]));
    console.log(await writeCsv(options.csv, ['policy', 'valid_events', 'rms_error', 'clicks_alone'], all));
  }
}
