// The paper's Table 1: how much do estimates of learning algorithms vary from run to run?
// Each algorithm is replayed many times, each time on a random half of one log, on a GPU where there is one.
// Run: node examples/table-1.mjs [--visits 150000] [--replicas 40] [--seed 1] [--device auto|gpu|cpu] [--adapter NAME]
// (The paper: about 4,000,000 visits of the Yahoo! Today Module, 100 replicas. That log cannot be shipped; this one is
// simulated, so the numbers are not the paper's.)
import { parseArgs } from 'node:util';
import { epsilonGreedy, linucb, random, replay, simulateToday, ucb } from 'hindcast';

const { values } = parseArgs({
  options: {
    visits: { type: 'string', default: '150000' },
    replicas: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    device: { type: 'string', default: 'auto' },
    adapter: { type: 'string' },
  },
});
const [visits, replicas, seed] = [values.visits, values.replicas, values.seed].map(Number);

const { log } = simulateToday({ events: visits, seed });
const learners = [random(), epsilonGreedy({ epsilon: 0.4 }), ucb({ alpha: 1 }), linucb({ alpha: 1 })];
const result = await replay(log, learners, {
  repeats: replicas,
  subsample: 0.5,
  seed,
  device: values.device,
  adapter: values.adapter,
});

const { seconds, threads, device, adapter, verified } = result.engine;
console.log(
  `${visits.toLocaleString('en')} simulated visits, ${replicas} replicas of each algorithm, each on half of them;`,
);
const engine = device === 'cpu' ? `CPU, threads: ${threads}` : `GPU: ${adapter}`;
const checked = verified === null ? '' : `, ${verified.passed ? 'verified' : 'NOT VERIFIED'}`;
console.log(`${engine}; ${seconds.toFixed(1)} s${checked}. Click rates per valid event:\n`);
const cells = (texts) => [texts[0].padEnd(28), ...texts.slice(1).map((text) => text.padStart(9))].join('');
console.log(cells(['algorithm', 'mean', 'std', 'max', 'min', 'std/mean']));
const number = (value) => (value === null ? 'none' : value.toFixed(4));
for (const { name, mean, std, max, min } of result.learners) {
  const share = std === null || !mean ? 'none' : `${((100 * std) / mean).toFixed(1)} %`;
  console.log(cells([name, number(mean), number(std), number(max), number(min), share]));
}
console.log('\nReplicas share one log: std tells what seeds and subsamples of it change,');
console.log('not how another log would differ.');
