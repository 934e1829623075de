// The paper's Table 1: how much do estimates of learning algorithms vary from run to run?
// Each algorithm is replayed many times, each time on a random half of one log, on a GPU where there is one.
// Run: node examples/table-1.mjs [--visits 150000] [--replicas 40] [--seed 1] [--device auto|gpu|cpu] [--adapter NAME] [--csv FILE]
// (The paper: about 4,000,000 visits of the Yahoo! Today Module, 100 replicas. That log cannot be shipped; this one is
// simulated, so the numbers are not the paper's.)
import { epsilonGreedy, linucb, random, replay, simulateToday, ucb } from 'hindcast';
import { count, optionsFrom, table, writeCsv } from './lib/script.mjs';

const options = optionsFrom({ visits: 150_000, replicas: 40, seed: 1 }, ['device', 'adapter']);
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
console.log(`${engine}; ${seconds.toFixed(1)} s${checked}. Click rates per valid event:\n`);
const number = (value) => (value === null ? 'none' : value.toFixed(4));
const rows = result.learners.map(({ name, mean, std, max, min }) => {
  const share = std === null || !mean ? 'none' : `${((100 * std) / mean).toFixed(1)} %`;
  return [name, number(mean), number(std), number(max), number(min), share];
});
console.log(table(['algorithm', 'mean', 'std', 'max', 'min', 'std/mean'], rows));
console.log('\nReplicas share one log: std tells what seeds and subsamples of it change,');
console.log('not how another log would differ.');
if (options.csv !== undefined) {
  const all = result.learners.flatMap(({ name, replicas }) =>
    replicas.map(({ replica, matches, payoff }) => [name, replica, matches, payoff]),
  );
  console.log(await writeCsv(options.csv, ['algorithm', 'replica', 'valid_events', 'clicks'], all));
}
