/** Command lines that give every option at least once, and what shows that it did something. */

import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { ADAPTER } from '../../adapter.js';
import { MAPPING } from './logs.js';

// biome-ignore lint/suspicious/noExplicitAny: results as any script reads them, from JSON
export type Json = any;

/** A log with options of its reading, and what `inspect` says of it. */
export interface LogCase {
  readonly name: string;
  readonly log: string;
  readonly options: readonly string[];
  readonly check: (inspection: Json) => void;
}

/** Options of the reading of a log: those of evaluate, replay, inspect and convert. */
export const LOG_CASES: readonly LogCase[] = [
  {
    name: 'columns by flags, with all that a table may lack',
    log: 'odd.csv',
    options: [
      ...['--log-format', 'csv', '--arm', 'arm', '--payoff', 'click', '--propensity', 'prob', '--onehot', 'dev,who'],
      ...['--numeric', 'x', '--intercept', '--candidates', 'could', '--time', 'ts', '--time-unit', 's'],
      ...['--user', 'who', '--event-id', 'id', '--payoff-range', '0,3', '--arms-order', 'c,b,a'],
      ...['--missing-payoff', '0', '--missing-level', '--impute', 'x=mean', '--where', 'ts < 1600205200'],
      ...['--allow-leak', 'who', '--skip-bad-rows', '--max-line', '1MB', '--encoding', 'windows-1252'],
      ...['--decimal-separator', ',', '--sort-by-time', '--drop-repeated-events', '--distinct-views'],
    ],
    check: (log) => {
      // Three are filtered out, one is bad, one repeated. Five are a view of the user's last arm: that of u9, and those between
      // which others went away (the bad one, the repeated one, the two of u9).
      expect([log.rows, log.events]).toEqual([60, 50]);
      expect(log.arms.map(({ id }: Json) => id)).toEqual(['c', 'b', 'a']);
      expect(log.payoff).toMatchObject({ low: 0, high: 3, range: 'declared', max: 2 });
      expect(log.context.names.slice(0, 4)).toEqual(['dev=(missing)', 'dev=caf\u00e9', 'dev=desk', 'dev=phone']);
      expect(log.context.names.slice(4)).toEqual([...[0, 1, 2, 3, 4, 9].map((u) => `who=u${u}`), 'x', '(intercept)']);
      expect(log.badRows.map(({ count }: Json) => count)).toEqual([1, 1]);
      expect(log.missing.map(({ column, filled }: Json) => [column, filled]).sort()).toEqual([
        ['click', 1],
        ['dev', 1],
        ['x', 1],
      ]);
      expect(log.period.ascending).toBe(true);
      expect(log.warnings.join('\n')).toMatch(
        /--missing-payoff[\s\S]*--allow-leak|--allow-leak[\s\S]*--missing-payoff/,
      );
      expect(log.mapping).toMatchObject({
        propensity: 'prob',
        eventId: 'id',
        missingLevel: true,
        impute: { x: 'mean' },
      });
      expect(log.options).toMatchObject({ encoding: 'windows-1252', decimalSeparator: ',', maxLine: 1e6 });
    },
  },
  {
    name: 'columns by a mapping file, taken strictly',
    log: 'plain.jsonl',
    options: ['--mapping', 'plain.json', '--strict'],
    check: (log) => {
      expect([log.events, log.users, log.context.dimension, log.options.strict]).toEqual([60, 5, 3, true]);
      expect(log.mapping).toEqual({ ...MAPPING, context: log.mapping.context });
    },
  },
  {
    name: 'features and costs',
    log: 'log.vw',
    options: [
      ...['--features', 'user^*,act^price', '--feature-limit', '20', '--arm-id', 'act^id=*'],
      ...['--payoff-from-cost', '-2,3'],
    ],
    check: (log) => {
      expect(log.arms.map(({ id }: Json) => id)).toEqual(['a', 'b']);
      expect([log.payoff.min, log.payoff.max]).toEqual([1, 3]);
      expect(log.armFeatures.columns).toEqual(['act^price']);
      expect(log.options.featureLimit).toBe(20);
    },
  },
  {
    name: 'affinities of the Open Bandit Dataset',
    log: 'men',
    options: ['--affinities'],
    check: (log) => expect(log.armFeatures.columns.at(-1)).toMatch(/affinity/),
  },
];

/** A command line, and what shows in what it wrote. */
export interface Case {
  readonly argv: readonly string[];
  /** Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly check: (wrote: Wrote) => void;
}

/** What a command line wrote: to standard output, to standard error, and its JSON, which may be in out.json. */
export interface Wrote {
  readonly stdout: string;
  readonly stderr: string;
  readonly json: Json;
}

const LOG = ['plain.csv', '--mapping', 'plain.json'];
const EVALUATE = ['evaluate', ...LOG, '--policies', 'set.json', '--out', 'out.json'];
const REPLAY = ['replay', ...LOG, '--learners', 'learners.json', '--out', 'out.json'];
/** Where `logs.ts` has put programs in the place of Slurm's. */
const SLURM = { PATH: `slurm:${process.env.PATH}` };
const BLOCKS: readonly [options: string[], blocks: object][] = [
  [['--blocks', '7'], { kind: 'run', count: 7 }],
  [['--block-events', '9'], { kind: 'run', count: 7 }],
  [['--block-period', '12h'], { kind: 'period' }],
  [['--block-user', '3'], { kind: 'user', count: 3 }],
];
const STREAMED = ['--memory', '1GB', '--resume', 'run.state', '--checkpoint-every', '0'];

/** A run that went on, or could have, leaves nothing behind. */
function streamed({ engine }: Json): void {
  expect(engine.memory).not.toBeNull();
  expect(existsSync('run.state')).toBe(false);
}

/** The other options of each command. */
export const CASES: readonly Case[] = [
  {
    argv: [...EVALUATE, '--device', 'cpu', '--sequence', 'asymptotic', '--sequence-at', '20', '--block-events', '25'],
    check: ({ json }) => {
      expect(json.sequence).toEqual({ method: 'asymptotic', at: 20, level: 0.95, looks: [25, 50, 60] });
      for (const { sequence } of json.policies) expect([sequence.lower.length, sequence.upper.length]).toEqual([3, 3]);
    },
  },
  {
    argv: [
      ...[...EVALUATE, '--estimator', 'ips', '--interval', 'normal', '--confidence', '0.9'],
      ...['--device', 'cpu', '--threads', '1', '--verify', '2', ...STREAMED, '--top', '1', '--quiet', '--debug'],
    ],
    check: ({ json }) => {
      expect([json.estimator.name, json.interval]).toEqual(['ips', { method: 'normal', confidence: 0.9 }]);
      expect([json.engine.threads, json.engine.verified, json.policies.length, json.omitted]).toEqual([1, 2, 1, 2]);
      streamed(json);
    },
  },
  ...BLOCKS.map(([options, blocks], i) => ({
    argv: [
      ...[...EVALUATE, ...options, '--device', 'cpu', '--block-statistics', '--assume-uniform', '--no-verify'],
      ...(i === 0 ? ['--valid-events', '5', '--format', 'json', '--interval', 'clopper-pearson'] : []),
    ],
    check: ({ json }: Wrote) => {
      expect(json.blocks).toMatchObject(blocks);
      expect(json.interval.method).toBe(i === 0 ? 'clopper-pearson' : 'wilson');
      expect(json.policies[0].blocks.matches.length).toBe(json.blocks.count);
      expect([json.estimator.validEvents, json.engine.verified]).toEqual([i === 0 ? 5 : null, null]);
    },
  })),
  ...[EVALUATE, REPLAY].map((command) => ({
    argv: [...command, '--device', 'cpu', '--thin', '--least-propensity', '0.4', '--thin-seed', '3'],
    check: ({ json }: Wrote) => {
      // Every event with probability 0.4: the log is uniform.
      expect(json.log).toMatchObject({ events: 31, thinned: { events: 60, leastPropensity: 0.4, seed: 3 } });
    },
  })),
  {
    argv: [
      ...['evaluate', 'plain.csv', '--mapping', 'plain.json', '--policies', 'set.json', '--out', 'out.json'],
      ...['--device', 'cpu', '--bands', '--baseline', '1', '--margin', '-0.5', '--draws', '2000', '--draw-seed', '7'],
    ],
    check: ({ json }) => {
      expect(json.selection).toMatchObject({ draws: 2000, seed: 7, baseline: { name: 'constant b', margin: -0.5 } });
      for (const { index, difference } of json.policies) if (index === 1) expect(difference.value).toBe(0);
    },
  },
  {
    argv: [
      ...['evaluate', 'plain.csv', '--mapping', 'plain.json', '--policies', 'set.json', '--out', 'out.json'],
      ...['--device', 'cpu', '--no-bands'],
    ],
    check: ({ json }) => {
      expect(json.selection).toBeNull();
      expect(json.policies[0].band).toBeUndefined();
    },
  },
  {
    argv: [
      ...[...REPLAY, '--assume-uniform', '--device', 'cpu', '--bands', '--baseline', 'log', '--margin', '-0.5'],
      ...['--draws', '2000', '--draw-seed', '7'],
    ],
    check: ({ json }) => {
      expect(json.selection).toMatchObject({ draws: 2000, seed: 7, baseline: { index: null, margin: -0.5 } });
      expect(json.selection.baseline.value).toBe(json.logged.value);
    },
  },
  {
    argv: [...REPLAY, '--assume-uniform', '--device', 'cpu', '--no-bands'],
    check: ({ json }) => {
      expect(json.selection).toBeNull();
      expect(json.learners[0].band).toBeUndefined();
    },
  },
  {
    argv: [
      ...['evaluate', 'plain.csv', '--mapping', 'plain.json', '--policies', 'set.json', '--out', 'out.json'],
      ...['--device', 'cpu', '--by', 'dev'],
    ],
    check: ({ json }) => {
      expect(json.segments.levels.map(({ level, events }: Json) => [level.dev, events])).toEqual([
        ['desk', 30],
        ['phone', 30],
      ]);
      for (const { segments, matches } of json.policies)
        expect(segments[0].matches + segments[1].matches).toBe(matches);
    },
  },
  {
    argv: [
      ...['evaluate', 'plain.csv', '--mapping', 'plain.json', '--policies', 'set.json', '--out', 'out.json'],
      ...['--device', 'cpu', '--select-on', '0.5', '--top', '1'],
    ],
    check: ({ json }) => {
      const { by, selection, evaluation, policies } = json.holdOut;
      expect([by, selection.events + evaluation.events, policies.length]).toEqual(['users', 60, 1]);
      expect(policies[0].index).toBe(json.policies[0].index);
    },
  },
  {
    argv: [
      ...['evaluate', 'plain.csv', '--arm', 'arm', '--payoff', 'click', '--numeric', 'x', '--policies', 'set.json'],
      ...['--out', 'out.json', '--device', 'cpu', '--estimate-propensities', 'dev,who'],
    ],
    check: ({ json }) => {
      expect(json.log.estimatedPropensities).toEqual({ keys: ['dev', 'who'], cells: 10, few: 10 });
      expect(json.warnings.join()).toMatch(/propensities are estimated/);
    },
  },
  {
    argv: [
      ...[...EVALUATE, '--device', 'cpu', '--estimator', 'dr,switch-dr,dros,snips-clip', '--clip', '1.5'],
      ...['--switch', '1.9', '--shrinkage', '4', '--reward-model', 'ridge', '--ridge', '2', '--folds', '3'],
      ...['--fold-by', 'day'],
    ],
    check: ({ json }) => {
      expect(json.estimators).toMatchObject([
        { name: 'dr', interval: 'effective-clopper-pearson' },
        { name: 'switch-dr', switch: 1.9 },
        { name: 'dros', shrinkage: 4 },
        { name: 'snips-clip', clip: 1.5 },
      ]);
      expect(json.estimator).toEqual(json.estimators[0]);
      expect(json.rewardModel).toMatchObject({
        name: 'ridge',
        parameters: { lambda: 2 },
        folds: { count: 3, by: 'day' },
      });
      for (const { value, estimates } of json.policies) {
        expect(Object.keys(estimates)).toEqual(['dr', 'switch-dr', 'dros', 'snips-clip']);
        // Weights are 2, which τ leaves to the model, and λ = 4 halves.
        const [dr, dm, between] = [value, estimates['switch-dr'].value, estimates.dros.value];
        expect(between).toBeCloseTo((dr + dm) / 2, 12);
        expect(Math.abs(dr - dm)).toBeGreaterThan(1e-6);
      }
    },
  },
  ...['1.5,1.2', 'auto'].map((clip) => ({
    argv: [...EVALUATE, '--device', 'cpu', '--estimator', 'snips-clip', '--clip', clip],
    check: ({ json }: Wrote) => {
      // Weights are 2: below that lie those that are given, and none of its own.
      const grid = clip === 'auto' ? [] : [1.2, 1.5];
      expect(json.estimator).toMatchObject({ name: 'snips-clip', clip: 'auto', grid });
      for (const { estimates } of json.policies) expect(estimates['snips-clip'].clip).toBe(null);
    },
  })),
  {
    argv: [
      ...[
        'evaluate',
        'log.vw',
        '--arm-id',
        'act^id=*',
        '--policies',
        'set.json',
        '--out',
        'out.json',
        '--device',
        'cpu',
      ],
      ...['--estimator', 'dm', '--reward-model', 'arm-features', '--joint-features', 'arm'],
    ],
    check: ({ json }) => {
      const { name, parameters, folds } = json.rewardModel;
      expect([name, parameters.jointFeatures, folds]).toEqual(['arm-features', 'arm', { count: 5, by: 'event' }]);
    },
  },
  {
    argv: [...EVALUATE, '--device', 'cpu', '--estimator', 'dm', '--predictions', 'q.npy'],
    check: ({ json }) => {
      // Arms a and b are predicted to pay 0.25 and 0.75 at every event.
      expect(json.policies.slice(0, 1)).toMatchObject([{ name: expect.stringContaining('b'), value: 0.75 }]);
      expect(json.policies.at(-1)).toMatchObject({ name: expect.stringContaining('a'), value: 0.25 });
      expect(json.inputs.at(-1)).toMatchObject({ path: expect.stringContaining('q.npy') });
    },
  },
  {
    argv: [
      ...[...EVALUATE, '--device', 'cpu', '--estimator', 'dm'],
      ...['--predictions', 'q-of-x.npy', '--prediction-rows', 'x'],
    ],
    check: ({ json }) => {
      // Arm b is predicted to pay 0.25 + 0.05 x, and x is 2.9 on average.
      expect(json.policies[0].name).toContain('b');
      expect(json.policies[0].value).toBeCloseTo(0.395, 6);
      expect(json.rewardModel.parameters).toMatchObject({ rows: 7, rowsOf: 'x' });
    },
  },
  {
    argv: [...EVALUATE, '--device', 'gpu', '--adapter', ADAPTER],
    check: ({ json }) => expect([json.engine.device, json.policies.length]).toEqual(['gpu', 3]),
  },
  {
    argv: [
      ...[...REPLAY, '--repeats', '4', '--subsample', '0.5', '--seed', '3', '--update-every', '5', '--scale', 'max'],
      ...['--learn-from', 'all', '--confidence', '0.9', '--replicas', '--no-retained', '--state', '--verify', '2'],
      ...['--verify-tolerance', '1e-5', '--device', 'cpu', '--threads', '1', ...STREAMED, '--quiet', '--debug'],
    ],
    check: ({ json }) => {
      const [, { replicas }] = json.learners;
      expect(json.replay).toEqual({ repeats: 4, subsample: 0.5, seed: 3, updateEvery: 5, learnFrom: 'all' });
      expect([json.scale.method, replicas.length, replicas[0].retained]).toEqual(['max', 4, undefined]);
      expect(replicas[0].state.trials.length).toBe(2);
      expect([json.engine.verified.replicas, json.engine.verified.tolerance]).toEqual([2, 1e-5]);
      expect(json.interval.confidence).toBe(0.9);
      streamed(json);
    },
  },
  ...BLOCKS.map(([options, blocks], i) => ({
    argv: [
      ...[...REPLAY, ...options, '--device', 'cpu', '--block-statistics', '--assume-uniform', '--no-verify'],
      ...['--replicas', ...(i === 0 ? ['--valid-events', '5', '--format', 'json'] : [])],
    ],
    check: ({ json }: Wrote) => {
      expect(json.blocks).toMatchObject(blocks);
      expect(json.learners[0].replicas[0].blocks).toBeDefined();
      expect(json.estimator.validEvents).toBe(i === 0 ? 5 : null);
    },
  })),
  {
    argv: [...REPLAY, '--device', 'gpu', '--adapter', ADAPTER],
    check: ({ json }) => expect([json.engine.device, json.learners.length]).toEqual(['gpu', 2]),
  },
  {
    argv: ['inspect', ...LOG, '--format', 'json', '--out', 'out.json', '--quiet', '--debug'],
    check: ({ json, stdout }) => expect([json.events, stdout]).toEqual([60, '']),
  },
  {
    argv: [
      ...['convert', 'plain.csv', 'kept.parquet', '--mapping', 'plain.json', '--keys', 'could,id', '--memory', '400MB'],
      ...['--format', 'json', '--quiet', '--debug'],
    ],
    check: ({ json }) =>
      expect([json.events, json.columns]).toEqual([60, ['propensity', 'time', 'user', 'could', 'id']]),
  },
  {
    argv: [
      ...['plan', '--arms', '20', '--valid-events', '1000', '--error', '0.01', '--value', '0.5', '--delta', '0.1'],
      ...['--payoff-range', '0,2', '--format', 'json', '--out', 'out.json', '--debug'],
    ],
    check: ({ json }) => {
      expect(json).toMatchObject({ arms: 20, delta: 0.1, matches: { validEvents: 1000 }, error: { range: [0, 2] } });
      expect(json.error).toMatchObject({ error: 0.01, value: 0.5 });
    },
  },
  {
    argv: [
      ...['simulate', '--events', '500', '--seed', '3', '--kind', 'r6b', '--days', '2', '--pool', '5,6'],
      ...['--changes-per-hour', '1', '--click-rates', '0.3,0.6', '--drift', '0.1', '--users', '50'],
      ...['--visits-per-session', '2', '--traffic', '1', '--logging', 'epsilon-greedy', '--epsilon', '0.5'],
      ...['--out', 'world.bin', '--log-format', 'parquet', '--truth', 'truth.csv', '--debug'],
    ],
    check: ({ stderr }) => {
      expect(stderr).toMatch(/500 visits in 2 days, 136 user features/);
      expect([existsSync('world.bin'), existsSync('truth.csv')]).toEqual([true, true]);
    },
  },
  {
    argv: [
      ...['simulate', '--events', '20', '--out', 'soft.parquet', '--logging', 'softmax', '--temperature', '0.01'],
      '--quiet',
    ],
    check: ({ stderr }) => expect([stderr, existsSync('soft.mapping.json')]).toEqual(['', true]),
  },
  {
    argv: ['simulate', '--events', '200', '--out', 'bad.gz', '--dirt', 'crlf=0.5'],
    check: ({ stderr }) => expect(stderr).toMatch(/line ends in CR LF: \d+/),
  },
  {
    argv: [...EVALUATE.slice(0, -1), 'saved.json', '--assume-uniform', '--device', 'cpu', '--pictures', 'pictures'],
    check: () => expect(existsSync('pictures/forest.svg')).toBe(true),
  },
  {
    argv: [...REPLAY, '--assume-uniform', '--device', 'cpu', '--pictures', 'of-learners'],
    check: () => expect(existsSync('of-learners/forest.svg')).toBe(true),
  },
  {
    argv: ['report', 'saved.json', '--out', 'saved.html', '--pictures', 'again/there'],
    check: () => {
      expect(readFileSync('saved.html', 'utf8')).toMatch(/^<!doctype html>/);
      expect(readFileSync('again/there/forest.svg', 'utf8')).toBe(readFileSync('pictures/forest.svg', 'utf8'));
    },
  },
  {
    argv: [
      ...[...EVALUATE.slice(0, -1), 'part.parquet', '--assume-uniform', '--device', 'cpu', '--part', '1/1'],
      ...['--counts', 'evaluate.counts'],
    ],
    check: ({ stderr }) => {
      expect(stderr).toBe('hindcast: part 1/1 is in part.parquet: 3 policies on 60 events\n');
      expect(existsSync('evaluate.counts')).toBe(true);
    },
  },
  {
    argv: [
      ...[...REPLAY.slice(0, -1), 'learnt.parquet', '--assume-uniform', '--device', 'cpu', '--part', '1/2'],
      ...['--counts', 'replay.counts'],
    ],
    check: ({ stderr }) => {
      expect(stderr).toBe('hindcast: part 1/2 is in learnt.parquet: 1 replica on 60 events\n');
      expect(existsSync('replay.counts')).toBe(true);
    },
  },
  {
    argv: [
      ...['merge', 'part.parquet', '--device', 'gpu', '--adapter', ADAPTER, '--threads', '1', '--memory', '2GB'],
      ...['--format', 'json', '--out', 'out.json', '--pictures', 'of-parts', '--quiet', '--debug'],
      ...['--counts', 'evaluate.counts'],
    ],
    check: ({ json }) => {
      expect([json.engine.parts, json.engine.device, json.engine.memory.limit]).toEqual([1, 'cpu', 2e9]);
      expect(existsSync('of-parts/forest.svg')).toBe(true);
    },
  },
  {
    argv: [
      ...[
        'submit',
        'slurm',
        '--parts',
        '2',
        '--run',
        'sent',
        '--partition',
        'big',
        '--gpus-per-task',
        '1',
        '--dry-run',
      ],
      ...['--sbatch-option', 'mem=8G', '--debug', '--', ...EVALUATE],
    ],
    check: ({ stdout }) => expect(stdout).toMatch(/--array=1-2\n[\s\S]*--gpus-per-task=1\n[\s\S]*=big\n.*--mem=8G\n/),
  },
  ...[EVALUATE, REPLAY].map((run) => ({
    argv: [...run, '--assume-uniform', '--gpus', 'all', '--adapter', ADAPTER, '--quiet'],
    env: { ...process.env },
    check: ({ json }: Wrote) => expect([json.engine.parts, json.log.events]).toEqual([1, 60]),
  })),
  {
    argv: ['submit', 'slurm', '--parts', '2', '--run', 'sent', '--wait', '--', ...EVALUATE],
    env: SLURM,
    check: ({ stdout }) =>
      expect(stdout).toMatch(/^job 7 computes 2 parts[\s\S]*\nthe result of 2 parts is in .*out.json\n$/),
  },
  {
    argv: ['jobs', 'sent', '--wait', '--quiet', '--debug'],
    env: SLURM,
    check: ({ stdout }) => expect(stdout).toMatch(/^the result of 2 parts is in /),
  },
  {
    argv: ['cancel', 'sent', '--debug'],
    env: SLURM,
    check: ({ stdout }) => expect(stdout).toBe('nothing was in the queue; 0 parts of 2 are there\n'),
  },
  {
    argv: ['devices', '--format', 'json', '--out', 'out.json', '--debug'],
    check: ({ json, stdout }) => expect([Array.isArray(json), stdout]).toEqual([true, '']),
  },
];
