/**
 * The same work in hindcast, numpy and PyTorch, from the same seeds: checks that T and Ĝ agree and prints ratios.
 *
 *   node bench/peers/run.mjs [--policies P] [--events L] [--arms K] [--dimension D] [--repeat N] [--adapter NAME|none]
 *                            [--threads N] [--peer-seconds S] [--peers numpy,torch] [--dtypes float32,float64] [--plans argmax,maximum] [--smoke] [--out DIR]
 *
 * Default size: P = 1,024, L = 100,000, K = 20, d = 6. A peer that is not installed is left out, and said so.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CpuBackend } from '../../dist/engine/cpu/backend.js';
import { GpuBackend } from '../../dist/engine/gpu/backend.js';
import { replayColumns } from '../../dist/estimate/estimators/replay-totals.js';
import { decodeNpy, encodeNpy } from '../../dist/policy/npy.js';
import { adapterName, openAdapter, openTimed } from '../lib/devices.mjs';
import { writeResult } from '../lib/machine.mjs';
import { measure, median, short, table } from '../lib/measure.mjs';
import { difference, linearPolicies, makeLog, makePlan, totalsOf } from '../lib/work.mjs';
import { blasCores, blasEnvironment, python, pythonWithNumpy, runPython } from './python.mjs';

const { values: options } = parseArgs({
  options: {
    policies: { type: 'string' },
    events: { type: 'string' },
    arms: { type: 'string', default: '20' },
    dimension: { type: 'string', default: '6' },
    repeat: { type: 'string' },
    threads: { type: 'string' },
    adapter: { type: 'string', default: process.env.HINDCAST_BENCH_ADAPTER ?? 'auto' },
    peers: { type: 'string', default: 'numpy,torch' },
    dtypes: { type: 'string', default: 'float32,float64' },
    plans: { type: 'string', default: 'argmax,maximum' },
    'peer-seconds': { type: 'string' },
    smoke: { type: 'boolean', default: false },
    out: { type: 'string', default: fileURLToPath(new URL('../results', import.meta.url)) },
  },
});
const shape = {
  policies: Number(options.policies ?? (options.smoke ? 16 : 1024)),
  events: Number(options.events ?? (options.smoke ? 3000 : 100_000)),
  arms: Number(options.arms),
  dimension: Number(options.dimension),
};
const repeat = Number(options.repeat ?? (options.smoke ? 1 : 5));
const threads = options.threads === undefined ? undefined : Number(options.threads);
const peerSeconds = options['peer-seconds'] === undefined ? undefined : Number(options['peer-seconds']);
const list = (text) => text.split(',').filter((word) => word !== '');

const decisions = shape.policies * shape.events;
const log = makeLog(shape);
const plan = makePlan(log);
const compiled = linearPolicies(shape);
const rows = [];
let ours;

async function hindcast(engine, backend, timer) {
  let stats;
  const settledBefore = backend.report.settledOnCpu;
  let runs = 0;
  const run = async () => {
    stats = await backend.evaluate(log, plan, compiled, replayColumns(log.payoff));
    runs++;
  };
  const { [engine]: measured } = await measure({ [engine]: run }, { samples: repeat });
  const row = {
    program: 'hindcast',
    engine,
    ...measured,
    decisionsPerSecond: decisions / measured.seconds,
    different: 0,
  };
  if (engine === 'cpu') row.threads = backend.report.threads;
  row.settledOnCpu = (backend.report.settledOnCpu - settledBefore) / runs;
  if (timer !== undefined) {
    const watched = new GpuBackend(timer.device, { threads });
    await watched.evaluate(log, plan, compiled, replayColumns(log.payoff));
    await timer.collect();
    await watched.evaluate(log, plan, compiled, replayColumns(log.payoff));
    const { milliseconds, missed } = await timer.collect();
    await watched.close();
    const all = Object.values(milliseconds).reduce((a, b) => a + b, 0) / 1000;
    row.kernelSeconds = missed === 0 && all > 0 ? all : null;
    row.kernelTiming = timer.method;
  }
  await backend.close();
  rows.push(row);
  say(row);
  return stats;
}

function say(row) {
  const what = [row.program, row.engine ?? row.plan, row.dtype].filter((word) => word !== undefined).join(' ');
  const speed = `${row.seconds.toPrecision(3)} s, ${short(row.decisionsPerSecond)} decisions/s`;
  console.error(`${what}: ${speed}${row.different > 0 ? `; T or Ĝ of ${row.different} policies differ` : ''}`);
}

/** Policies whose T or Ĝ is not ours. */
function countDifferent({ T, G }, mine) {
  const [t, g] = [T, G].map((file) => decodeNpy(readFileSync(file)).data);
  let different = 0;
  for (let p = 0; p < shape.policies; p++) if (t[p] !== mine.T[p] || g[p] !== mine.G[p]) different++;
  return different;
}

function addPeer(program, report, different) {
  const seconds = median(report.seconds);
  const cpuSeconds = report.cpuSeconds === undefined ? null : median(report.cpuSeconds);
  const { T, G, ...rest } = report;
  const row = { program, ...rest, seconds, cpuSeconds, fastest: Math.min(...report.seconds) };
  Object.assign(row, { samples: report.seconds.length, decisionsPerSecond: decisions / seconds, different });
  rows.push(row);
  say(row);
}

const folder = mkdtempSync(join(tmpdir(), 'hindcast-peers-'));
const absent = [];
try {
  const stats = await hindcast('cpu', new CpuBackend({ threads }));
  ours = totalsOf(stats);
  if (options.adapter !== 'none') {
    const opened = await openAdapter(adapterName(options.adapter));
    // Software adapters are no match for the CPU engine: they run only where they are asked for by name.
    if (opened.description.type === 'gpu' || options.adapter !== 'auto') {
      const timer = await openTimed(opened);
      const gpu = await hindcast('gpu', new GpuBackend(opened.device, { threads }), timer);
      rows.at(-1).adapter = opened.description.name;
      const different = difference(stats, gpu);
      if (different !== null) throw new Error(`CPU and GPU differ: ${different}`);
    } else absent.push('GPU (no hardware adapter)');
  }

  const save = (name, data, dims) => writeFileSync(join(folder, `${name}.npy`), encodeNpy(data, dims));
  // Shared memory cannot be written to files directly: `slice` copies to plain memory.
  save('contexts', log.contexts.values.slice(), [shape.events, shape.dimension]);
  save('weights', compiled.weights.slice(), [shape.policies, shape.arms, shape.dimension]);
  save('arm', log.arm.slice(), [shape.events]);
  save('steps', log.payoff.steps.slice(), [shape.events]);

  const wanted = list(options.peers);
  if (wanted.includes('numpy')) {
    const interpreter = pythonWithNumpy();
    if (interpreter === null) absent.push('numpy');
    else {
      for (const plan of list(options.plans)) {
        for (const dtype of list(options.dtypes)) {
          const args = ['--data', folder, '--dtype', dtype, '--plan', plan];
          const cores = options.smoke ? [null] : blasCores();
          const tried = cores.map((core) => [
            core,
            runPython(interpreter, 'numpy_replay.py', [...args, '--sweep-only'], blasEnvironment(core), peerSeconds),
          ]);
          const usable = tried
            .filter(([, report]) => report !== null)
            .sort(([, a], [, b]) => a.sweepSeconds - b.sweepSeconds);
          if (usable.length === 0) throw new Error('numpy_replay.py failed');
          const report = runPython(
            interpreter,
            'numpy_replay.py',
            [...args, '--repeat', String(repeat)],
            blasEnvironment(usable[0][0]),
            peerSeconds,
          );
          if (report === null) throw new Error('numpy_replay.py failed');
          report.blasCores = Object.fromEntries(
            usable.map(([core, { blas, sweepSeconds }]) => [core ?? `default (${blas.core})`, sweepSeconds]),
          );
          addPeer('numpy', report, countDifferent(report, ours));
          // In f64 nothing but a tie within its last bits can differ; in f32 near ties may.
          if (dtype === 'float64' && rows.at(-1).different > 0) throw new Error('numpy in f64 disagrees');
        }
      }
    }
  }
  if (wanted.includes('torch')) {
    const interpreter = python('torch', ['python3'], 'assert torch.cuda.is_available()');
    if (interpreter === null) absent.push('PyTorch with CUDA');
    else {
      for (const plan of [...list(options.plans), 'compiled']) {
        for (const dtype of list(options.dtypes)) {
          const args = ['--data', folder, '--dtype', dtype, '--plan', plan, '--repeat', String(repeat)];
          const report = runPython(interpreter, 'torch_replay.py', args, blasEnvironment(null), peerSeconds);
          if (report === null) absent.push(`PyTorch ${plan} ${dtype} (failed or out of time)`);
          else addPeer('torch', report, countDifferent(report, ours));
        }
      }
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const reference = Object.fromEntries(
  rows.filter(({ program }) => program === 'hindcast').map((row) => [row.engine, row]),
);
for (const row of rows) {
  if (row.program === 'hindcast') continue;
  row.ratios = {
    cpu: row.seconds / reference.cpu.seconds,
    cpuByCpuSeconds: row.cpuSeconds === null ? null : row.cpuSeconds / reference.cpu.cpuSeconds,
    gpu: reference.gpu === undefined ? null : row.seconds / reference.gpu.seconds,
    gpuKernels: reference.gpu?.kernelSeconds ? row.seconds / reference.gpu.kernelSeconds : null,
  };
}
const times = (ratio) => (ratio === null || ratio === undefined ? '–' : `${ratio.toPrecision(3)} ×`);
console.log(
  `P ${shape.policies}, L ${shape.events}, K ${shape.arms}, d ${shape.dimension}: how many times longer a peer takes`,
);
console.log(
  table(
    [
      'program',
      'plan',
      'type',
      'threads',
      'seconds',
      'CPU s',
      'decisions/s',
      'policies that differ',
      'vs CPU',
      'vs CPU (CPU s)',
      'vs GPU',
      'vs GPU kernels',
    ],
    rows.map((row) => [
      row.program,
      row.engine ?? row.plan,
      row.dtype ?? 'exact',
      row.poolThreads === undefined
        ? (row.threads ?? '–')
        : row.poolThreads > 1
          ? `${row.poolThreads} in a pool`
          : `${row.blasThreads} of BLAS`,
      row.seconds.toPrecision(3),
      row.cpuSeconds?.toPrecision(3) ?? '–',
      short(row.decisionsPerSecond),
      row.different,
      times(row.ratios?.cpu),
      times(row.ratios?.cpuByCpuSeconds),
      times(row.ratios?.gpu),
      times(row.ratios?.gpuKernels),
    ]),
  ),
);
const numpy = rows.find(({ program }) => program === 'numpy');
if (numpy !== undefined)
  console.log(
    `numpy ${numpy.numpy}, BLAS ${numpy.blas.core ?? 'unknown'}: ${numpy.blas.files.join(', ')} (${numpy.blas.config ?? 'no OpenBLAS'})`,
  );
if (absent.length > 0) console.log(`not there: ${absent.join(', ')}`);
const file = writeResult(options.out, options.smoke ? 'peers-smoke' : 'peers', { shape, repeat, absent, rows });
console.log(`results in ${file}`);
process.exit(0);
