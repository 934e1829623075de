// The paper's third question: a live page has rules that no log knows (editors pin, promote, hide), which multiply a day's
// click rates by some factor. Does replay still rank serving models? Per day, ρ = replayed rate / live rate of a model.
// If the rules act as a factor, ρ of two models differ by noise only: ρ of one against ρ of the other lie on a line of
// slope 1 through the origin.
// EMP: the article with the best click rate; SEMP: within the user's segment; CEMP: a logistic regression per article.
// Run: node examples/serving-models.mjs [--visits 100000] [--live 20000] [--seed 1] [--csv FILE]   (visits per day)
import { cemp, emp, online, replay, semp, simulate } from 'hindcast';
import { count, isMain, lineThroughOrigin, mean, optionsFrom, table, writeCsv } from './lib/script.mjs';

const DAY = 86_400_000;
const UPDATES = { updateEvery: { period: 5 * 60_000 } };
const PRIOR = { priorTrials: 100, priorPayoff: 3 };
const MODELS = {
  EMP: emp(PRIOR),
  SEMP: semp({ segment: 'segment', ...PRIOR }),
  CEMP: cemp({ lambda: 10, prior: 0.03 }),
};
/** The paper's experiments, and what it found. */
const PAPER = [
  { against: 'SEMP', days: 16, slope: 1.019, deviation: 0.0563 },
  { against: 'CEMP', days: 18, slope: 1.113, deviation: 0.075 },
];

/** Per model and day: views and clicks live and replayed, and ρ; and for each experiment a fitted line and what is left of it. */
export async function runServingModels({ visits = 100_000, live = 20_000, seed = 1 } = {}) {
  const days = Math.max(...PAPER.map((one) => one.days));
  // A short page: a tenth of the log is matched, not a twentieth.
  const world = simulate({ events: visits * days, days, seed, businessRules: 0.3, pool: [8, 12] });
  const { learners } = await replay(world.log, Object.values(MODELS), {
    learnFrom: 'all',
    ...UPDATES,
    replicas: true,
    retained: false,
    blocks: { period: DAY },
    blockStatistics: true,
    device: 'cpu',
  });
  const models = {};
  for (const [i, [name, model]] of Object.entries(MODELS).entries()) {
    // A bucket of its own for each.
    const bucket = await online(world, model, live * days, { learnFrom: 'log', ...UPDATES, traffic: 1 + i });
    const { matches, payoff } = learners[i].replicas[0].blocks;
    models[name] = bucket.periods.map(({ views, clicks }, d) => {
      const [liveRate, replayRate] = [clicks / views, payoff[d] / matches[d]];
      const [ratio, error] = [replayRate / liveRate, Math.sqrt((1 - liveRate) / clicks + (1 - replayRate) / payoff[d])];
      return { day: d + 1, factor: world.businessRule(d), liveRate, replayRate, ratio, error: ratio * error };
    });
  }
  const fits = PAPER.map((paper) => {
    const [one, other] = ['EMP', paper.against].map((name) => models[name].slice(0, paper.days));
    const line = lineThroughOrigin(
      one.map(({ ratio }) => ratio),
      other.map(({ ratio }) => ratio),
    );
    // What the luck of clicks alone would leave; a little less, as both models are replayed on one log.
    const luck = Math.sqrt(mean(one.map(({ error }, d) => (line.slope * error) ** 2 + other[d].error ** 2)));
    return { paper, ...line, luck };
  });
  return { models, fits };
}

if (isMain(import.meta.url)) {
  const options = optionsFrom({ visits: 100_000, live: 20_000, seed: 1 });
  const { models, fits } = await runServingModels(options);
  const rows = models.EMP.map(({ day, factor }, d) => [
    day,
    factor.toFixed(3),
    ...Object.values(models).flatMap((days) => [days[d].replayRate.toFixed(4), days[d].ratio.toFixed(3)]),
  ]);
  const head = ['day', 'factor', ...Object.keys(models).flatMap((name) => [name, 'ρ'])];
  console.log(`Each day ${count(options.visits)} logged visits and, for each model, ${count(options.live)} live ones.`);
  console.log('factor: what the hidden rules of the day make of every live click rate;');
  console.log("EMP, SEMP, CEMP: the model's replayed rate; ρ: replayed rate / live rate.\n");
  console.log(table(head, rows));
  const summary = fits.map(({ paper, slope, deviation, luck }) => [
    `EMP and ${paper.against}, ${paper.days} days`,
    slope.toFixed(3),
    paper.slope.toFixed(3),
    deviation.toFixed(4),
    luck.toFixed(4),
    paper.deviation.toFixed(4),
  ]);
  console.log('\nρ of one against ρ of the other: slope through the origin, deviation of what is');
  console.log('left, what the luck of clicks alone would leave; beside what the paper found.');
  console.log(table(['', 'slope', 'paper', 'deviation', 'luck', 'paper'], summary));
  if (options.csv !== undefined) {
    const columns = ['model', 'day', 'factor', 'live_rate', 'replay_rate', 'ratio', 'error'];
    const all = Object.entries(models).flatMap(([name, days]) => days.map((day) => [name, ...Object.values(day)]));
    console.log(await writeCsv(options.csv, columns, all));
  }
}
