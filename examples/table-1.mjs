// The paper's Table 1: how much do estimates of learning algorithms vary from run to run?
// Each algorithm is replayed many times, each time on a random half of one log, on a GPU where there is one; the paper's
// figures stand below ours.
// Run: node examples/table-1.mjs [--visits 150000] [--replicas 100] [--seed 1] [--device auto|gpu|cpu] [--adapter NAME] [--csv FILE]
// (The paper: 4,000,000 visits of the Yahoo! Today Module. That log cannot be shipped; this one is simulated, so its click
// rates are other ones, and a shorter log leaves more to chance.)
import { epsilonGreedy, linucb, random, replay, simulateToday, ucb } from 'hindcast';
import { PAPER_TABLE_1 } from './lib/paper-table-1.mjs';
import { count, optionsFrom, table, writeCsv } from './lib/script.mjs';

const options = optionsFrom({ visits: 150_000, replicas: 100, seed: 1 }, ['device', 'adapter']);
const { visits, replicas, seed, device: asked = 'auto' } = options;

const { log } = simulateToday({ events: visits, seed });
const learners = [random(), epsilonGreedy({ epsilon: 0.4 }), ucb({ alpha: 1 }), linucb({ alpha: 1 })];
const result = await replay(log, learners, {
  repeats: replicas,
  subsample: 0.5,
  seed,
  device: asked,
  adapter: options.adapter,
  replicas: true,
  retained: false,
});

const { seconds, threads, device, adapter, verified } = result.engine;
console.log(`${count(visits)} simulated visits, ${replicas} replicas of each algorithm, each on half of them;`);
const engine = device === 'cpu' ? `CPU, threads: ${threads}` : `GPU: ${adapter}`;
const checked = verified === null ? '' : `, ${verified.passed ? 'verified' : 'NOT VERIFIED'}`;
console.log(`${engine}; ${seconds.toFixed(1)} s${checked}. Clicks per valid event:\n`);

const number = (value) => (value === null ? 'none' : value.toFixed(4));
const share = (std, mean) => (std === null || !mean ? 'none' : `${((100 * std) / mean).toFixed(1)} %`);
/** The mean, where ε-greedy's is 1: what can be compared with click rates in another unit. */
const relative = (mean, base) => (mean === null || !base ? 'none' : (mean / base).toFixed(3));
const base = result.learners.find(({ algorithm }) => algorithm === 'epsilon-greedy').mean;
const paperBase = PAPER_TABLE_1.rows['epsilon-greedy'].mean;
const rows = result.learners.flatMap(({ algorithm, name, mean, std, max, min }) => {
  const ours = [name, number(mean), number(std), number(max), number(min), share(std, mean), relative(mean, base)];
  const paper = PAPER_TABLE_1.rows[algorithm];
  if (paper === undefined) return [ours];
  const figures = [paper.mean, paper.std, paper.max, paper.min].map(number);
  return [ours, ['  the paper', ...figures, paper.stdOverMean, relative(paper.mean, paperBase)]];
});
console.log(table(['algorithm', 'mean', 'std', 'max', 'min', 'std/mean', '÷ ε-greedy'], rows));
const { runs, visits: theirs } = PAPER_TABLE_1;
console.log(`\nThe paper: ${runs} runs on halves of ${count(theirs)} visits; it divides its click`);
console.log('rates by a constant that it does not give, so only the last two columns');
console.log('compare.');
console.log('Replicas share one log: std tells what seeds and subsamples of it change,');
console.log('not how another log would differ.');
if (options.csv !== undefined) {
  const all = result.learners.flatMap(({ name, replicas }) =>
    replicas.map(({ replica, matches, payoff }) => [name, replica, matches, payoff]),
  );
  console.log(await writeCsv(options.csv, ['algorithm', 'replica', 'valid_events', 'clicks'], all));
}
