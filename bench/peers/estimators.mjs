/**
 * Five estimators of linear policies on a log that is not uniform, in hindcast and in numpy: checks that values agree and prints
 * what a policy takes.
 *
 *   node bench/peers/estimators.mjs [--policies P] [--peer-policies N] [--events L] [--arms K] [--dimension D] [--repeat N]
 *                                   [--threads N] [--smoke] [--out DIR]
 *
 * Default size: P = 256, of which numpy evaluates 4; L = 200,000, K = 20, d = 6.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { evaluate } from '../../dist/evaluate.js';
import { decodeNpy, encodeNpy } from '../../dist/policy/npy.js';
import { makeLogged } from '../lib/logged.mjs';
import { writeResult } from '../lib/machine.mjs';
import { measure, median, table } from '../lib/measure.mjs';
import { makeWeights } from '../lib/work.mjs';
import { blasEnvironment, pythonWithNumpy, runPython } from './python.mjs';

const { values: options } = parseArgs({
  options: {
    policies: { type: 'string' },
    'peer-policies': { type: 'string' },
    events: { type: 'string' },
    arms: { type: 'string', default: '20' },
    dimension: { type: 'string', default: '6' },
    repeat: { type: 'string' },
    threads: { type: 'string' },
    smoke: { type: 'boolean', default: false },
    out: { type: 'string', default: fileURLToPath(new URL('../results', import.meta.url)) },
  },
});
const shape = {
  policies: Number(options.policies ?? (options.smoke ? 8 : 256)),
  events: Number(options.events ?? (options.smoke ? 3000 : 200_000)),
  arms: Number(options.arms),
  dimension: Number(options.dimension),
};
const peerPolicies = Number(options['peer-policies'] ?? (options.smoke ? 2 : 4));
const repeat = Number(options.repeat ?? (options.smoke ? 1 : 5));
const threads = options.threads === undefined ? undefined : Number(options.threads);
/** In the order of the peer's columns; the first ranks. */
const estimators = ['snips', 'ips', 'dm', 'dr', 'sndr'];

/** All contexts of their own, and a few that come again and again. */
const sections = [{}, { distinctContexts: Math.min(240, shape.events) }];

const interpreter = pythonWithNumpy();
if (interpreter === null) throw new Error('there is no Python with numpy: bench/peers/install-numpy.sh');
const weights = makeWeights(shape);
const rows = [];

for (const section of sections) {
  const { arms, dimension, events, policies } = shape;
  const { log, contexts, predictions } = makeLogged({ ...shape, ...section });
  const folder = mkdtempSync(join(tmpdir(), 'hindcast-peers-'));
  try {
    const save = (name, data, dims) => {
      const file = join(folder, `${name}.npy`);
      // Shared memory cannot be written to files directly: `slice` copies to plain memory.
      writeFileSync(file, encodeNpy(data.slice(), dims));
      return file;
    };
    const predicted = save('predictions', predictions, [events, arms]);
    save('contexts', contexts, [events, dimension]);
    save('weights', weights.subarray(0, peerPolicies * arms * dimension), [peerPolicies, arms, dimension]);
    save('arm', log.arm, [events]);
    save('payoff', log.payoff.steps, [events]);
    save('propensity', log.propensity, [events]);

    let result;
    const run = async () => {
      result = await evaluate({
        ...{ log, estimators, threads, predictions: predicted, device: 'cpu' },
        policies: [{ family: 'linear', weights: { data: weights, shape: [policies, arms, dimension] } }],
      });
    };
    const { hindcast } = await measure({ hindcast: run }, { samples: repeat });
    const own = {
      ...section,
      program: 'hindcast',
      policies,
      threads: result.engine.threads,
      ...perPolicy(hindcast, policies),
    };
    rows.push(own);

    for (const plan of ['dense', 'gathered']) {
      const args = ['--data', folder, '--plan', plan, '--repeat', String(repeat)];
      const report = runPython(interpreter, 'numpy_estimators.py', args, blasEnvironment(null));
      if (report === null) throw new Error('numpy_estimators.py failed');
      const { values, seconds, cpuSeconds, ...rest } = report;
      const row = { ...section, program: 'numpy', plan, ...rest, samples: seconds.length };
      Object.assign(row, perPolicy({ seconds: median(seconds), cpuSeconds: median(cpuSeconds) }, report.policies));
      row.ratios = { wall: row.perPolicy / own.perPolicy, cpu: row.cpuPerPolicy / own.cpuPerPolicy };
      row.largestDifference = compare(decodeNpy(readFileSync(values)).data, result);
      rows.push(row);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function perPolicy(times, policies) {
  return { ...times, perPolicy: times.seconds / policies, cpuPerPolicy: times.cpuSeconds / policies };
}

/**
 * Largest difference of a value, as a share of what rounding may make of it: weights are moved by δ of themselves and predictions by ε,
 * so that no value moves by more than this bound, and numpy loses less than 10⁻⁹ in f64. More than 1 is an error.
 */
function compare(values, result) {
  const ours = [...result.policies].sort((a, b) => a.index - b.index);
  let largest = 0;
  for (let p = 0; p < peerPolicies; p++) {
    estimators.forEach((name, e) => {
      const { rounding = 0, predictionRounding = 0 } = result.estimators[e];
      const { mean } = ours[p].weights;
      const { value } = ours[p].estimates[name];
      const size = (ours[p].estimates.ips.value + 0.05 * mean) / Math.min(1, mean);
      const bound = 2.01 * rounding * size + 2 * predictionRounding * (1 + mean) + 1e-9;
      largest = Math.max(largest, Math.abs(value - values[p * estimators.length + e]) / bound);
    });
  }
  if (!(largest <= 1)) throw new Error(`values of numpy differ: ${largest} times what rounding may make of them`);
  return largest;
}

console.log(
  `L ${shape.events}, K ${shape.arms}, d ${shape.dimension}; ${estimators.join(', ')}: how many times longer a policy takes`,
);
const milliseconds = (seconds) => (seconds * 1000).toPrecision(3);
console.log(
  table(
    [
      'program',
      'plan',
      'contexts',
      'policies',
      'seconds',
      'CPU s',
      'ms a policy',
      'CPU ms a policy',
      'times',
      'times (CPU)',
    ],
    rows.map((row) => [
      row.program,
      row.plan ?? 'evaluate()',
      row.distinctContexts ?? 'all distinct',
      row.policies,
      row.seconds.toPrecision(3),
      row.cpuSeconds.toPrecision(3),
      milliseconds(row.perPolicy),
      milliseconds(row.cpuPerPolicy),
      row.ratios?.wall.toPrecision(3) ?? '–',
      row.ratios?.cpu.toPrecision(3) ?? '–',
    ]),
  ),
);
const name = options.smoke ? 'peers-estimators-smoke' : 'peers-estimators';
console.log(`results in ${writeResult(options.out, name, { shape, estimators, repeat, rows })}`);
process.exit(0);
