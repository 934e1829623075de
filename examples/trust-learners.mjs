// How far can a replay of learners be trusted? Logs of worlds whose truth is known are replayed again and again: how often all bands hold
// what the decisions of these runs were worth, whether the best of them is in the set, whether the winner's interval and the lower bounds
// on differences hold; how often the same bands would hold what a learner earns on average over all logs, which no block of one log can
// tell; and how often replicas are said to differ by more than chance, of a learner that commits early and of one that draws at random.
// In one world articles do as well with everybody, in the other it depends on who comes.
// Run: node examples/trust-learners.mjs [--logs 200] [--draws 2000] [--seed 1] [--csv FILE]
import { replay } from 'hindcast';
import { count, isMain, mean, optionsFrom, table, writeCsv } from './lib/script.mjs';
import { makeLog, makeWorld } from './trust.mjs';

const LEARNERS = [
  { algorithm: 'random' },
  { algorithm: 'epsilon-greedy', epsilon: [0, 0.1] },
  { algorithm: 'ucb1', alpha: 0.3 },
  { algorithm: 'linucb', alpha: [0.1, 1] },
  { algorithm: 'lin-thompson', v: 0.3 },
];
const [RANDOM, GREEDY, BASELINE] = [0, 1, 2];

export const CELLS = [
  { name: 'contexts, 20 replicas', world: 'contexts', visits: 20_000, repeats: 20, subsample: 0.9 },
  { name: 'contexts, 20 of halves', world: 'contexts', visits: 20_000, repeats: 20, subsample: 0.5 },
  { name: 'contexts, one run', world: 'contexts', visits: 20_000, repeats: 1, subsample: 1 },
  { name: 'articles, 20 replicas', world: 'articles', visits: 20_000, repeats: 20, subsample: 0.9 },
  { name: 'articles, one run', world: 'articles', visits: 20_000, repeats: 1, subsample: 1 },
];

/** Articles that do as well with everybody, from 2 to 8 clicks in a hundred visits. */
function alikeForAll(world) {
  const rate = world.rates[0].map((_, a) => 0.02 + (0.06 * a) / (world.rates[0].length - 1));
  return { ...world, rates: world.rates.map(() => rate) };
}

/** One log: what was said, and what the decisions of the runs were worth. */
async function judge(world, { repeats, subsample, ...cell }, { draws, seed, number }) {
  const { log, rate } = makeLog(world, cell, seed, number);
  const result = await replay(log, LEARNERS, {
    ...{ repeats, subsample, seed: number, baseline: BASELINE, draws, drawSeed: number },
    ...{ retained: true, device: 'cpu', threads: 1, verify: false },
  });
  const { selection, learners } = result;
  const worth = learners.map(({ replicas }) =>
    mean(replicas.map(({ retained }) => mean(retained.map((t) => rate[t])))),
  );
  const within = ([low, high], value) => low <= value && value <= high;
  const { winner, bestSet } = selection;
  const better = learners.filter(({ difference }) => difference.better);
  return {
    bands: learners.every(({ band }, s) => within(band, worth[s])),
    set: bestSet.indices.includes(worth.indexOf(Math.max(...worth))),
    size: bestSet.size,
    winner: within(winner.interval, worth[winner.index]),
    lower: learners.every(({ difference }, s) => difference.lower <= worth[s] - worth[BASELINE] + 1e-12),
    better: better.length,
    wrong: better.some(({ index }) => worth[index] <= worth[BASELINE]),
    greedy: learners[GREEDY].runsDiffer === true,
    random: learners[RANDOM].runsDiffer === true,
    learners: learners.map(({ mean, std, band }) => ({ mean, std, band })),
  };
}

/** Per cell: shares of the logs, and means. */
export async function runTrust({ logs = 200, draws = 2000, seed = 1 } = {}, cells = CELLS) {
  const contexts = makeWorld('flat', 0, seed);
  const worlds = { contexts, articles: alikeForAll(contexts) };
  const rows = [];
  for (const cell of cells) {
    const found = [];
    for (let number = 1; number <= logs; number++)
      found.push(await judge(worlds[cell.world], cell, { draws, seed, number }));
    const share = (holds) => mean(found.map((one) => Number(holds(one))));
    // What a learner earns on average over logs.
    const everywhere = found[0].learners.map((_, s) => mean(found.map(({ learners }) => learners[s].mean)));
    const each = (holds) => share(({ learners }) => learners.every((learner, s) => holds(learner, everywhere[s])));
    rows.push({
      ...{ cell: cell.name, logs },
      ...{ bands: share((one) => one.bands), set: share((one) => one.set), size: share((one) => one.size) },
      ...{ winner: share((one) => one.winner), lower: share((one) => one.lower) },
      ...{ better: share((one) => one.better), wrong: share((one) => one.wrong) },
      everywhere: each(({ band: [low, high] }, value) => low <= value && value <= high),
      spread: cell.repeats === 1 ? null : each(({ mean, std }, value) => Math.abs(mean - value) <= 2 * std),
      ...{ greedy: share((one) => one.greedy), random: share((one) => one.random) },
    });
  }
  return rows;
}

const percent = (share) => (share === null ? '–' : `${(100 * share).toFixed(1)} %`);

if (isMain(import.meta.url)) {
  const options = optionsFrom({ logs: 200, draws: 2000, seed: 1 });
  const rows = await runTrust(options);
  console.log(`${count(options.logs)} logs of each kind; level 95 %\n`);
  const lines = [
    ['all bands hold what these runs were worth', 'bands'],
    ['the best of them is in the set', 'set'],
    ['of so many', 'size'],
    ["the winner's interval holds", 'winner'],
    ['all lower bounds on differences hold', 'lower'],
    ['called better than epsilon=0.1', 'better'],
    ['wrongly so', 'wrong'],
    ['all bands hold what learners earn on average over logs', 'everywhere'],
    ['all means are within two std of that', 'spread'],
    ['replicas of epsilon=0 differ', 'greedy'],
    ['replicas of random do', 'random'],
  ];
  const shown = (row, key) => (key === 'size' || key === 'better' ? row[key].toFixed(1) : percent(row[key]));
  for (const row of rows)
    console.log(
      `${table(
        [row.cell, ''],
        lines.map(([text, key]) => [text, shown(row, key)]),
      )}\n`,
    );
  if (options.csv !== undefined)
    console.log(await writeCsv(options.csv, Object.keys(rows[0]), rows.map(Object.values)));
}
