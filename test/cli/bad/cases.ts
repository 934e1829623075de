/** The table of bad inputs: what is wrong, the command, and what its message must say. */

import { gzipSync } from 'node:zlib';
import { csv, cut, EVENTS, gzipped, jsonl, npy, spoiled } from './files.js';

export interface BadCase {
  name: string;
  /** Files that are added to the good ones (log.csv, log.jsonl, log.parquet, set.json), or replace them. */
  files?: Record<string, string | Uint8Array>;
  /** Parquet files, by the query that they hold; `$log` is the good log. */
  parquet?: Record<string, string>;
  /** Bytes of the good Parquet file, cut. */
  cutParquet?: boolean;
  /** Arguments; names of files are relative to the case's folder. `--out out/r.json` and `--device cpu` are added. */
  argv: string[];
  /** Output path, where it is what is bad. */
  out?: string;
  /** Exit status; 2 unless said otherwise. */
  status?: number;
  /** Place, value got, value needed, next step: whatever applies. */
  message: RegExp[];
}

/** `evaluate` with the mapping of the good log. */
const evaluate = (log: string, ...more: string[]): string[] => [
  'evaluate',
  log,
  '--policies',
  'set.json',
  '--arm',
  'arm',
  '--payoff',
  'click',
  ...more,
];
const contexts = ['--numeric', 'x,y'];

/** A log file with one value replaced, in data row 7 (line 9). */
const value = (
  name: string,
  column: Parameters<typeof spoiled>[0],
  text: string,
  more: string[],
  ...message: RegExp[]
): BadCase => ({
  name,
  files: { 'bad.csv': spoiled(column, text) },
  argv: evaluate('bad.csv', ...more),
  message: [/bad\.csv, row 7 \(line 9\)/, ...message],
});

/** A policy set with the good log. */
const set = (name: string, text: string, more: string[], ...message: RegExp[]): BadCase => ({
  name,
  files: { 'set.json': text },
  argv: evaluate('log.csv', ...more),
  message: [/set\.json/, ...message],
});

/** Linear policies with the weights of a file. */
const weights = (name: string, bytes: Uint8Array, ...message: RegExp[]): BadCase => ({
  name,
  files: { 'set.json': '[{ "family": "linear", "weights": "w.npy" }]', 'w.npy': bytes },
  argv: evaluate('log.csv', ...contexts),
  message: [/w\.npy/, ...message],
});

const GOOD_WEIGHTS = new Float64Array(2 * 3 * 2).fill(0.5);

export const FILES: BadCase[] = [
  { name: 'a file that does not exist', argv: evaluate('none.csv'), message: [/none\.csv/, /no such file/] },
  { name: 'a directory in place of a file', argv: evaluate('out'), message: [/out/, /is a directory/] },
  {
    name: 'a directory that is none of the Open Bandit Dataset',
    argv: ['evaluate', 'out', '--policies', 'set.json', '--log-format', 'obd'],
    message: [/out: not a directory of the Open Bandit Dataset/, /no CSV file/, /item_context\.csv/],
  },
  {
    name: 'affinities of a file',
    argv: ['evaluate', 'log.csv', '--policies', 'set.json', '--log-format', 'obd', '--affinities'],
    message: [/log\.csv/, /directory/, /--affinities/],
  },
  { name: 'a device or pipe', argv: evaluate('/dev/null'), message: [/\/dev\/null/, /not a file/, /to a file first/] },
  { name: 'an empty file', files: { 'bad.csv': '' }, argv: evaluate('bad.csv'), message: [/bad\.csv/, /empty/] },
  {
    name: 'a header and no rows',
    files: { 'bad.csv': 'arm,click\n' },
    argv: evaluate('bad.csv'),
    message: [/no rows|no events|no arms/],
  },
  {
    name: 'a second file that does not exist',
    argv: ['evaluate', 'log.csv', 'none.csv', '--policies', 'set.json', '--arm', 'arm', '--payoff', 'click'],
    message: [/none\.csv/, /no such file/],
  },
  {
    name: 'a truncated .gz',
    files: { 'bad.csv.gz': cut(gzipped(), 0.6) },
    argv: evaluate('bad.csv.gz'),
    message: [/bad\.csv\.gz/, /ends too early/, /gzip -t/],
  },
  {
    name: 'a damaged .gz',
    files: { 'bad.csv.gz': gzipped().map((byte, i, all) => (i === all.length >> 1 ? byte ^ 0xff : byte)) },
    argv: evaluate('bad.csv.gz'),
    message: [/bad\.csv\.gz/, /damaged|ends too early/],
  },
  {
    name: 'a truncated .zst',
    files: { 'bad.csv.zst': Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, 0x50, 0, 0, 97, 114) },
    argv: evaluate('bad.csv.zst'),
    message: [/bad\.csv\.zst/, /ends too early/, /zstd -t/],
  },
  {
    name: 'a truncated Parquet file',
    cutParquet: true,
    argv: evaluate('cut.parquet'),
    message: [/cut\.parquet/, /Parquet/i],
  },
  {
    name: 'text named .arrow',
    files: { 'bad.arrow': csv() },
    argv: evaluate('bad.arrow'),
    message: [/bad\.arrow/, /Arrow IPC/, /--log-format/],
  },
  {
    name: 'a truncated Arrow stream',
    files: { 'bad.arrow': Uint8Array.of(255, 255, 255, 255, 200, 0, 0, 0, 16, 0, 0, 0) },
    argv: evaluate('bad.arrow'),
    message: [/bad\.arrow/, /ends too early/],
  },
  {
    name: 'text named .parquet',
    files: { 'bad.parquet': csv() },
    argv: evaluate('bad.parquet'),
    message: [/bad\.parquet/, /Parquet/i],
  },
  {
    name: 'an unclosed quote',
    files: { 'bad.csv': spoiled('seg', '"new') },
    argv: evaluate('bad.csv'),
    message: [/bad\.csv, row 7 \(line 9\)/, /a quote is not closed/],
  },
  {
    // In one thread DuckDB takes this for the end of the file, and drops 53 rows without a word.
    name: 'an unclosed quote in the last column, although bad rows may be skipped',
    files: { 'bad.csv': spoiled('user', '"u7') },
    argv: evaluate('bad.csv', '--skip-bad-rows'),
    message: [/bad\.csv, row 7 \(line 9\)/, /a quote is not closed/, /the lines after it cannot be told apart/],
  },
  {
    name: 'a file in UTF-16',
    files: { 'bad.csv': Buffer.from(`\ufeff${csv()}`, 'utf16le') },
    argv: evaluate('bad.csv'),
    message: [/bad\.csv/, /UTF-16/, /--encoding utf-16/],
  },
  {
    name: 'a row with a field too many',
    files: { 'bad.csv': spoiled('x', '1,2') },
    argv: evaluate('bad.csv'),
    message: [/bad\.csv, row 7 \(line 9\)/, /too many columns/, /got: +"b,0/, /--skip-bad-rows/],
  },
  {
    name: 'a row with a field too few',
    files: { 'bad.csv': csv().replace(/,u7\n/, '\n') },
    argv: evaluate('bad.csv'),
    message: [/bad\.csv, row 7 \(line 9\)/, /too few columns/],
  },
  {
    name: 'a column named twice',
    files: { 'bad.csv': csv().replace('arm,click,prob', 'arm,click,click') },
    argv: evaluate('bad.csv'),
    message: [/bad\.csv/, /column "click"/, /two columns have the same name/, /columns 2 and 3/],
  },
  {
    name: 'a broken line of JSON',
    files: { 'bad.jsonl': jsonl((line, t) => (t === 7 ? line.slice(0, 20) : line)) },
    argv: evaluate('bad.jsonl'),
    message: [/bad\.jsonl/, /line 8/, /JSON/],
  },
  {
    name: 'a packed file without rows',
    files: { 'bad.csv.gz': gzipSync('') },
    argv: evaluate('bad.csv.gz'),
    message: [/bad\.csv\.gz/, /empty/],
  },
];

export const VALUES: BadCase[] = [
  value('a payoff that is text', 'click', 'yes', [], /column "click"/, /got: +"?yes/, /number/),
  value('a payoff that is NaN', 'click', 'NaN', [], /column "click"/, /NaN/),
  value('a payoff that is infinite', 'click', 'inf', [], /column "click"/, /inf/i),
  value('a missing payoff', 'click', '', [], /column "click"/),
  value(
    'a payoff outside its range',
    'click',
    '2',
    ['--payoff-range', '0,1'],
    /column "click"/,
    /got: +"?2/,
    /needed: +0 to 1/,
  ),
  value('a feature that is text', 'x', 'much', contexts, /column "x"/, /got: +"?much/),
  value('a feature that is NaN', 'x', 'nan', contexts, /column "x"/, /nan/i),
  value('an infinite feature', 'y', '-Infinity', contexts, /column "y"/, /-inf/i),
  value('a missing feature', 'y', '', contexts, /column "y"/),
  value('a missing arm', 'arm', '', [], /column "arm"/),
  value(
    'an arm outside its candidates',
    'cands',
    'a|c',
    ['--candidates', 'cands'],
    /not among/,
    /got: +"b"/,
    /needed: +one of/,
  ),
  value('an empty list of candidates', 'cands', '', ['--candidates', 'cands'], /column "cands"/, /candidates/),
  value('a candidate listed twice', 'cands', 'a|b|b|c', ['--candidates', 'cands'], /column "cands"/, /twice/),
  value('an arm that the list of arms lacks', 'arm', 'd', ['--arms-order', 'a,b,c'], /column "arm"/, /got: +"d"/),
  value('a propensity of 0', 'prob', '0', ['--propensity', 'prob'], /column "prob"/, /got: +"?0/, /greater than 0/),
  value('a propensity above 1', 'prob', '1.5', ['--propensity', 'prob'], /column "prob"/, /got: +"?1\.5/),
  value('a propensity that is text', 'prob', 'half', ['--propensity', 'prob'], /column "prob"/, /half/),
  value('a time that is none', 'ts', 'yesterday', ['--time', 'ts'], /column "ts"/, /yesterday/),
  value('a missing user', 'user', '', ['--user', 'user'], /column "user"/),
  {
    name: 'NaN in a Parquet column',
    parquet: {
      'bad.parquet':
        "SELECT * REPLACE (CASE WHEN row_number() OVER () = 8 THEN 'NaN'::DOUBLE ELSE x END AS x) FROM '$log'",
    },
    argv: evaluate('bad.parquet', ...contexts),
    message: [/bad\.parquet, row 7/, /column "x"/, /nan/i],
  },
  {
    name: 'a missing value in a Parquet list',
    parquet: {
      'bad.parquet':
        "SELECT * REPLACE (CASE WHEN row_number() OVER () = 8 THEN ['a', NULL] ELSE ['a', 'b', 'c'] END AS cands) FROM '$log'",
    },
    argv: evaluate('bad.parquet', '--candidates', 'cands'),
    message: [/bad\.parquet, row 7/, /column "cands"/],
  },
  {
    name: 'a Parquet column of the wrong type',
    parquet: { 'bad.parquet': "SELECT * REPLACE ({'a': 1} AS click) FROM '$log'" },
    argv: evaluate('bad.parquet'),
    message: [/bad\.parquet/, /column "click"/, /type/],
  },
];

export const MAPPINGS: BadCase[] = [
  {
    name: 'no mapping at all',
    argv: ['evaluate', 'log.csv', '--policies', 'set.json'],
    message: [/mapping/, /--arm|--mapping/],
  },
  {
    name: 'an arm without a payoff',
    argv: ['evaluate', 'log.csv', '--policies', 'set.json', '--arm', 'arm'],
    message: [/--payoff/],
  },
  {
    name: 'a column that the log lacks',
    argv: ['evaluate', 'log.csv', '--policies', 'set.json', '--arm', 'arm', '--payoff', 'clicks'],
    message: [/log\.csv/, /no column "clicks"/, /did you mean "click"/],
  },
  {
    name: 'a context column that the log lacks',
    argv: evaluate('log.csv', '--numeric', 'x,z'),
    message: [/no column "z"/, /needed: +one of/],
  },
  {
    name: 'a mapping file that is no JSON',
    files: { 'map.json': '{\n  "arm": "arm",\n  "payoff": click\n}' },
    argv: ['evaluate', 'log.csv', '--policies', 'set.json', '--mapping', 'map.json'],
    message: [/map\.json, line 3/, /JSON/, /click/],
  },
  {
    name: 'a mapping with a misspelt key',
    files: { 'map.json': '{ "arm": "arm", "payof": "click" }' },
    argv: ['evaluate', 'log.csv', '--policies', 'set.json', '--mapping', 'map.json'],
    message: [/map\.json/, /payof/, /did you mean "payoff"/],
  },
  {
    name: 'a mapping file that does not exist',
    argv: ['evaluate', 'log.csv', '--policies', 'set.json', '--mapping', 'none.json'],
    message: [/none\.json/, /no such file/],
  },
  {
    name: 'a mapping file and mapping options',
    files: { 'map.json': '{ "arm": "arm", "payoff": "click" }' },
    argv: evaluate('log.csv', '--mapping', 'map.json'),
    message: [/--arm.*cannot be used with.*--mapping/],
  },
  {
    name: 'an unknown log format',
    argv: evaluate('log.csv', '--log-format', 'obdd'),
    message: [/obdd/, /did you mean "obd"/],
  },
  {
    name: 'a preset with mapping options',
    argv: evaluate('log.csv', '--log-format', 'obd'),
    message: [/obd/, /mapping/],
  },
  {
    name: 'a preset for another log',
    argv: ['evaluate', 'log.csv', '--policies', 'set.json', '--log-format', 'obd'],
    message: [/log\.csv/, /item_id/],
  },
  { name: 'a filter that is no SQL', argv: evaluate('log.csv', '--where', 'x >'), message: [/filter/, /got: +x >/] },
  {
    name: 'a filter on an unknown column',
    argv: evaluate('log.csv', '--where', 'position = 1'),
    message: [/filter/, /position/],
  },
  {
    name: 'a filter that is more than one condition',
    argv: evaluate('log.csv', '--where', '1); DROP TABLE t; --'),
    message: [/filter/],
  },
  { name: 'periods without a time', argv: evaluate('log.csv', '--block-period', '1d'), message: [/time/] },
  {
    name: 'distinct views without a user',
    argv: evaluate('log.csv', '--distinct-views'),
    message: [/log\.csv/, /no users/, /--user/],
  },
  {
    name: 'inspecting distinct views without a user',
    argv: ['inspect', 'log.csv', '--arm', 'arm', '--payoff', 'click', '--distinct-views'],
    message: [/log\.csv/, /no users/, /--user/],
  },
  {
    name: 'thinning without propensities',
    argv: evaluate('log.csv', '--thin'),
    message: [/log\.csv: thinning goes by propensities/, /--propensity/, /and no --thin;/],
  },
  {
    name: 'the least propensity without thinning',
    argv: evaluate('log.csv', '--least-propensity', '0.5'),
    message: [/option --least-propensity belongs to --thin\n/, /needed: both, or neither/],
  },
  {
    name: 'a least propensity above 1',
    argv: evaluate('log.csv', '--thin', '--least-propensity', '3'),
    message: [/--least-propensity/, /got: +3/, /candidates × propensity: above 0/],
  },
  {
    name: 'thinning by more than an event has',
    files: { 'bad.csv': spoiled('prob', '0.05') },
    argv: evaluate('bad.csv', '--propensity', 'prob', '--thin', '--least-propensity', '0.5'),
    message: [
      /bad\.csv, row \d+/,
      /option --least-propensity is more/,
      /0\.5, while/,
      /at most 0\.15/,
      /--least-propensity 0\.15/,
    ],
  },
  {
    name: 'thinning for an estimator that needs none',
    argv: evaluate('log.csv', '--propensity', 'prob', '--estimator', 'ips', '--thin'),
    message: [/option --thin belongs to the estimator replay/],
  },
  { name: 'user groups without a user', argv: evaluate('log.csv', '--block-user', '8'), message: [/user/] },
];

const skewed = (row: { arm: string }, t: number): void => {
  row.arm = t % 10 === 0 ? 'b' : t % 10 === 1 ? 'c' : 'a';
};

export const UNIFORMITY: BadCase[] = [
  {
    name: 'propensities that are not uniform',
    files: { 'bad.csv': spoiled('prob', '0.25') },
    argv: evaluate('bad.csv', '--propensity', 'prob', '--estimator', 'replay'),
    message: [/uniform/, /1 of 60 events/, /factors of 0\.75 to 1/, /--assume-uniform/],
  },
  {
    name: 'arms that are not uniform',
    files: { 'bad.csv': csv(skewed) },
    argv: evaluate('bad.csv'),
    message: [/uniform/, /chi-square|p-value|p =/, /--assume-uniform/],
  },
];

export const POLICIES: BadCase[] = [
  {
    name: 'a policy set that does not exist',
    argv: ['evaluate', 'log.csv', '--policies', 'none.json', '--arm', 'arm', '--payoff', 'click'],
    message: [/none\.json/, /no such file/],
  },
  set(
    'a policy set that is no JSON',
    '[\n  { "family": "constant" },\n  { "family": linear }\n]',
    [],
    /line 3/,
    /JSON/,
    /linear/,
  ),
  set('a policy set that is no list', '{ "family": "constant" }', [], /list/, /put the entry in a list/),
  set('an empty policy set', '[]', [], /empty/),
  set('an unknown family', '[{ "family": "linaer" }]', [], /\[0\]/, /linaer/, /did you mean "linear"/),
  set('an unknown key of a family', '[{ "family": "constant", "arm": ["a"] }]', [], /\[0\]/, /arm/),
  set(
    'an unknown arm of a constant policy',
    '[{ "family": "constant", "arms": ["a", "A"] }]',
    [],
    /unknown arm "A"/,
    /needed: +one of/,
  ),
  set('ragged weights', '[{ "family": "linear", "weights": [[1, 2], [3], [4, 5]] }]', contexts, /\[0\]\.weights\[1\]/),
  set(
    'a weight that is text',
    '[{ "family": "linear", "weights": [[1, 2], [3, "4"], [4, 5]] }]',
    contexts,
    /weights\[1\]\[1\]/,
  ),
  set('a weights file that does not exist', '[{ "family": "linear", "weights": "none.npy" }]', contexts, /none\.npy/),
  set(
    'a table policy with an unknown arm',
    '[{ "family": "table", "keys": ["seg"], "tables": [{ "choices": { "new": "z" } }] }]',
    [],
    /unknown arm "z"/,
    /choices\.new/,
  ),
  {
    name: 'a table policy on an unknown column',
    files: { 'set.json': '[{ "family": "table", "keys": ["segment"], "tables": [{ "choices": { "new": "a" } }] }]' },
    argv: evaluate('log.csv'),
    message: [/log\.csv: no column "segment", which a policy/, /needed: +one of/],
  },
  weights('weights for other arms', npy([2, 4, 2], new Float64Array(16)), /got: +\[2, 4, 2\]/, /needed: +\[P, 3, 2\]/),
  weights(
    'weights for another context',
    npy([2, 3, 5], new Float64Array(30)),
    /got: +\[2, 3, 5\]/,
    /needed: +\[P, 3, 2\]/,
  ),
  weights('weights of the wrong type', npy([2, 3, 2], new BigInt64Array(12)), /got: +dtype i8/, /astype/),
  weights(
    'weights of the wrong byte order',
    npy([2, 3, 2], GOOD_WEIGHTS, { descr: '>f8' }),
    /big-endian/,
    /newbyteorder/,
  ),
  weights('weights of an unknown version', npy([2, 3, 2], GOOD_WEIGHTS, { version: 9 }), /version/, /got: +9/),
  weights('truncated weights', cut(npy([2, 3, 2], GOOD_WEIGHTS), 0.9), /cut short/, /needed: +96 bytes/),
  weights('weights that are no .npy', new TextEncoder().encode('1,2,3\n'), /not a \.npy file/),
  weights(
    'an infinite weight',
    npy(
      [2, 3, 2],
      GOOD_WEIGHTS.map((w, i) => (i === 5 ? Number.POSITIVE_INFINITY : w)),
    ),
    /Infinity/,
  ),
  {
    name: 'choices for another number of events',
    files: {
      'set.json': '[{ "family": "choices", "file": "c.npy" }]',
      'c.npy': npy([EVENTS - 1, 1], new Int32Array(EVENTS - 1)),
    },
    argv: evaluate('log.csv'),
    message: [/c\.npy/, /59/, /60/],
  },
  {
    name: 'a choice of an arm that does not exist',
    files: {
      'set.json': '[{ "family": "choices", "file": "c.npy" }]',
      'c.npy': npy([EVENTS, 1], new Int32Array(EVENTS).fill(3)),
    },
    argv: evaluate('log.csv'),
    message: [/c\.npy/, /got: +3/],
  },
  {
    name: 'linear policies on a log without context',
    files: { 'set.json': '[{ "family": "linear", "weights": [[1, 2], [3, 4], [5, 6]] }]' },
    argv: evaluate('log.csv'),
    message: [/\[1, 3, 2\]|\[3, 2\]/, /\[P, 3, 0\]|no context/],
  },
];

/** Estimators on the good log, which has propensities. */
const by = (estimators: string, ...more: string[]): string[] =>
  evaluate('log.csv', '--propensity', 'prob', '--estimator', estimators, ...more);
const predicted = (shape: readonly number[]): Uint8Array =>
  npy(shape, new Float64Array(shape.reduce((product, size) => product * size, 1)).fill(0.5));

export const ESTIMATORS: BadCase[] = [
  {
    name: 'an unknown estimator',
    argv: by('snips,sinps'),
    message: [/there is no such estimator/, /got: +sinps/, /needed: +one of replay /, /did you mean "snips"/],
  },
  {
    name: 'an estimator named twice',
    argv: by('snips,ips,snips'),
    message: [/an estimator is named twice/, /got: +snips/, /each name once/],
  },
  {
    name: 'estimators without a name between commas',
    argv: by('snips,,ips'),
    message: [/--estimator/, /got: +snips,,ips/],
  },
  {
    name: 'inverse propensities on a log without them',
    argv: evaluate('log.csv', '--estimator', 'ips'),
    message: [
      /log\.csv: the estimator ips goes by propensities, and the log has none/,
      /--estimator replay/,
      /--estimator dm/,
    ],
  },
  {
    name: 'replay among others on a log that is not uniform',
    files: { 'bad.csv': spoiled('prob', '0.25') },
    argv: evaluate('bad.csv', '--propensity', 'prob', '--estimator', 'replay,snips'),
    message: [/bad\.csv/, /uniform/, /1 of 60 events/],
  },
  ...['0', '-1', 'much', '2,0', '2,,5', '2,auto', ''].map((clip) => ({
    name: `clipping at ${clip}`,
    argv: by('snips-clip', '--clip', clip),
    message: [
      /option --clip is not valid/,
      new RegExp(`got: *${clip}`),
      /needed: +a number above 0; or several[^\n]*auto/,
    ],
  })),
  {
    name: 'clipping without a number',
    argv: by('ips-clip'),
    message: [/the estimator ips-clip goes by option --clip M, which is not given/, /needed: +a number above 0/],
  },
  {
    name: 'clipping for estimators that do not clip',
    argv: by('snips,dr', '--clip', '5'),
    message: [
      /option --clip M is for estimators that are not asked for/,
      /--estimator snips,dr/,
      /ips-clip, snips-clip or dr-clip/,
    ],
  },
  {
    name: 'a switch for estimators that do not switch',
    argv: by('dr', '--switch', '5'),
    message: [/option --switch τ is for estimators that are not asked for/, /needed: +switch-dr among them/],
  },
  {
    name: 'switching without a number',
    argv: by('switch-dr'),
    message: [/the estimator switch-dr goes by option --switch τ, which is not given/],
  },
  {
    name: 'shrinkage for estimators that do not shrink',
    argv: by('dr', '--shrinkage', '5'),
    message: [/option --shrinkage λ is for estimators that are not asked for/, /needed: +dros among them/],
  },
  {
    name: 'shrinkage below 0',
    argv: by('dros', '--shrinkage', '-5'),
    message: [/option --shrinkage is not valid/, /got: +-5/],
  },
  {
    name: 'a reward model for estimators without one',
    argv: by('snips', '--reward-model', 'ridge'),
    message: [/no estimator goes by one/, /got: +estimators snips/, /needed: +dm, dr, /],
  },
  {
    name: 'folds for estimators without a reward model',
    argv: by('ips,snips', '--folds', '3'),
    message: [/no estimator goes by one/, /got: +estimators ips, snips/],
  },
  {
    name: 'an unknown reward model',
    argv: by('dr', '--reward-model', 'rigde'),
    message: [/--reward-model/, /rigde/, /did you mean "ridge"|one of ridge/],
  },
  {
    name: 'a penalty of 0',
    argv: by('dr', '--ridge', '0'),
    message: [/option --ridge is not valid/, /got: +0/, /above 0/],
  },
  { name: 'no folds', argv: by('dr', '--folds', '0'), message: [/option --folds is not valid/, /got: +0/, /from 1/] },
  {
    name: 'folds by a user that the log lacks',
    argv: by('dr', '--fold-by', 'user'),
    message: [/folds cannot be made by user: the log has no users/, /--fold-by event/],
  },
  {
    name: 'joint features for another model',
    argv: by('dr', '--joint-features', 'arm'),
    message: [
      /option --joint-features does not go with the reward model ridge/,
      /--reward-model arm-features is the one/,
    ],
  },
  {
    name: 'an interval of replay for weighted values',
    argv: by('snips', '--interval', 'wilson'),
    message: [/the interval does not fit the estimator snips/, /got: +wilson/, /effective-clopper-pearson/],
  },
  {
    name: 'an interval of ips for another',
    argv: by('ips,snips', '--interval', 'empirical-bernstein'),
    message: [/the interval does not fit the estimator snips/, /got: +empirical-bernstein/],
  },
  {
    name: 'predictions that do not exist',
    argv: by('dr', '--predictions', 'none.npy'),
    message: [/none\.npy/, /no such file/],
  },
  {
    name: 'predictions for other arms',
    files: { 'q.npy': predicted([EVENTS, 2]) },
    argv: by('dr', '--predictions', 'q.npy'),
    message: [/q\.npy/, /predictions have the wrong shape/, /\[60, 2\]/, /needed: +\[L, 3\]: L = 60/],
  },
  {
    name: 'predictions for other events',
    files: { 'q.npy': predicted([EVENTS - 1, 3]) },
    argv: by('dr', '--predictions', 'q.npy'),
    message: [/q\.npy/, /\[59, 3\]/, /needed: +\[L, 3\]: L = 60/],
  },
  {
    name: 'predictions and a model to fit',
    files: { 'q.npy': predicted([EVENTS, 3]) },
    argv: by('dr', '--predictions', 'q.npy', '--reward-model', 'ridge'),
    message: [/option --reward-model does not go with predictions/],
  },
  {
    name: 'predictions that are no file of such',
    argv: by('dr', '--predictions', 'log.csv'),
    message: [/--predictions/, /log\.csv/, /\.npy or \.parquet/],
  },
  value('a log-probability', 'prob', '-0.69', ['--propensity', 'prob'], /looks like a log-probability/),
  value('a percentage as propensity', 'prob', '33.3', ['--propensity', 'prob'], /looks like a percentage/),
];

const option = (...more: string[]): string[] => evaluate('log.csv', ...more);

export const OPTIONS: BadCase[] = [
  {
    name: 'an unknown option',
    argv: option('--confidense', '0.9'),
    message: [/'--confidense'/, /Did you mean --confidence/],
  },
  {
    name: 'a confidence above 1',
    argv: option('--confidence', '1.5'),
    message: [/--confidence/, /got: +1\.5/, /between 0 and 1/],
  },
  { name: 'no blocks', argv: option('--blocks', '0'), message: [/--blocks/, /got: +0/, /from 1/] },
  {
    name: 'a period without a unit',
    argv: option('--block-period', '5'),
    message: [/--block-period/, /got: +5/, /unit/],
  },
  {
    name: 'too many events of a block',
    argv: option('--block-events', '3000000'),
    message: [/--block-events/, /got: +3000000/, /2097152/],
  },
  {
    name: 'a number of blocks, and a confidence sequence',
    argv: option('--blocks', '5', '--sequence', 'asymptotic'),
    message: [/stay where they are when the log grows\n/, /--block-events 1000, or by period, --block-period 1d\n/],
  },
  {
    name: 'an event to be tightest at, and no confidence sequence',
    argv: option('--sequence-at', '5'),
    message: [/option --sequence-at belongs to --sequence\n/],
  },
  {
    name: 'two ways to make blocks',
    argv: option('--blocks', '5', '--block-period', '1d'),
    message: [/cannot be used with/],
  },
  {
    name: 'a number of valid events that is none',
    argv: option('--valid-events', 'ten'),
    message: [/--valid-events/, /got: +ten/],
  },
  { name: 'no threads', argv: option('--threads', '0'), message: [/--threads/, /got: +0/] },
  { name: 'a top of none', argv: option('--top', '0'), message: [/--top/, /got: +0/] },
  { name: 'an unknown interval', argv: option('--interval', 'wilsn'), message: [/interval/, /wilsn/, /wilson/] },
  {
    name: 'an interval for other payoffs',
    argv: ['evaluate', 'log.csv', '--policies', 'set.json', '--arm', 'arm', '--payoff', 'y', '--interval', 'wilson'],
    message: [/wilson/, /0\/1/, /normal/],
  },
  {
    name: 'an unknown format',
    argv: option('--format', 'xlsx'),
    message: [/--format/, /got: +xlsx/, /table, json, csv/],
  },
  { name: 'a range upside down', argv: option('--payoff-range', '1,0'), message: [/--payoff-range/, /got: +1,0/] },
  { name: 'an adapter for the CPU', argv: option('--adapter', 'swiftshader'), message: [/--adapter/, /cpu/] },
  { name: 'an unknown command', argv: ['evaluat', 'log.csv'], message: [/'evaluat'/, /Did you mean evaluate/] },
  {
    name: 'an output in a folder that does not exist',
    argv: option(),
    out: 'none/r.json',
    message: [/none/, /nothing was computed/, /mkdir/],
  },
  { name: 'an output that is a folder', argv: option(), out: 'out', message: [/is a directory/] },
  { name: 'an output that is the log', argv: option(), out: 'log.csv', message: [/also an input/] },
  {
    name: 'inspecting a missing column',
    argv: ['inspect', 'log.csv', '--arm', 'arm', '--payoff', 'pay'],
    message: [/no column "pay"/],
  },
  {
    name: 'planning for a negative error',
    argv: ['plan', '--arms', '3', '--error', '-1', '--value', '0.1'],
    message: [/--error/, /got: +-1/],
  },
];

export const CASES: BadCase[] = [
  ...FILES,
  ...VALUES,
  ...MAPPINGS,
  ...UNIFORMITY,
  ...POLICIES,
  ...ESTIMATORS,
  ...OPTIONS,
];
