/** The scripts in examples/, run as a user would run them. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { displayWidth } from '#dist/report/text.js';
import { PAPER_TABLE_1 } from '../../examples/lib/paper-table-1.mjs';
import { eachCase } from '../long.js';

/**
 * Scripts run without Vulkan drivers: what they print is the CPU engine's, whatever this machine has. One that does not
 * end is killed, and fails its test.
 */
const ALONE = {
  env: { ...process.env, VK_DRIVER_FILES: '/dev/null' },
  timeout: 60_000,
  killSignal: 'SIGKILL',
} as const;

async function run(name: string, args: readonly string[]): Promise<string> {
  const file = fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...args], ALONE);
  return stdout;
}

/** Text that each example must print: what its reader is meant to see. */
const EXAMPLES: [name: string, needed: RegExp[], args?: string[]][] = [
  ['csv-log.mjs', [/events +6,000\n/, /1 +gift after 4 visits /, /constant sale/]],
  ['policies-in-code.mjs', [/1 +best so far, every 5m /, /newest article/, /uniform/]],
  ['algorithm-1.mjs', [/40000 logged events on average/, /first 2,000 valid events \(Algorithm 1\)/, /consumed/]],
  [
    'table-1.mjs',
    [
      /4,000 simulated visits, 5 replicas/,
      /std\/mean +÷ ε-greedy\n/,
      /epsilon-greedy epsilon=0\.4( +0\.\d{4}){4} +\d+\.\d % +1\.000\n {2}the paper +1\.2664 +0\.0308 +1\.3079 +1\.1671 +2\.4 % +1\.000\n/,
      /ucb alpha=1( +0\.\d{4}){4} +\d+\.\d % +\d\.\d{3}\n {2}the paper +1\.3278 +0\.0192 +1\.3661 +1\.2812 +1\.4 % +1\.048\n/,
      /linucb alpha=1( +0\.\d{4}){4} +\d+\.\d % +\d\.\d{3}\n {2}the paper +1\.3867 +0\.0157 +1\.4268 +1\.3491 +1\.1 % +1\.095\n/,
      /\n20 rows written to/,
    ],
    ['--visits', '4000', '--replicas', '5'],
  ],
  [
    'bucket-test.mjs',
    [
      /serving policy live: 0\.\d{4} clicks per view in 20,000 views/,
      /\narticle +live views +live rate +replay views +replay rate +ratio +±\n/,
      /\n2009-05-03( +[\d,]+ +0\.\d{4}){2}( +\d\.\d{3}){2}\n/,
      /\d of 3 ratios within two errors of 1; correlation -?\d\.\d{3}, slope -?\d\.\d{3}\n.*rows written to/,
    ],
    ['--visits', '60000', '--live', '20000', '--days', '3'],
  ],
  [
    'error-of-replay.mjs',
    [
      /\nT +100001 +100002 .* serving +all +c\/√T\n/,
      /\n200( +0\.\d{4}){8}\n/,
      /\nslope( +-\d\.\d{3}){8}\n± {3}( +\d\.\d{3}){7} *\n/,
      /\n-0\.\d{3} ± 0\.\d{3} over all; 1\/√T has −0\.5\.\n66 rows written to/,
    ],
    ['--logs', '4', '--largest', '200'],
  ],
  [
    'serving-models.mjs',
    [
      /\n18 +\d\.\d{3}( +0\.\d{4} +\d\.\d{3}){3}\n/,
      /EMP and SEMP, 16 days +\d\.\d{3} +1\.019( +0\.\d{4}){2} +0\.0563\n/,
      / 1\.113( +\d\.\d{4}){2} +0\.0750\n54 rows/,
    ],
    ['--visits', '4000', '--live', '2000'],
  ],
  [
    'estimators.mjs',
    [
      /^A policy worth 0\.\d{4} clicks per visit, on 3 logs of 1,000 visits each\.\n/,
      /\nε = 0\.02: weights up to 250\n\nestimator +bias +± +RMSE +said +held\n/,
      /\nsnips( +-?0\.\d{4})( +0\.\d{4}){3} +\d+\.\d %\n/,
      /\ncressie-read( +-?0\.\d{4})( +0\.\d{4}){2} +– +\d+\.\d %\n/,
      /\ndr-clip, auto .*\nreplay, thinned .*\n\n135 rows written to/,
    ],
    ['--logs', '3', '--visits', '1000'],
  ],
  [
    'unbiased.mjs',
    [
      /newest article( +0\.\d{4}){2} +-?0\.\d{5} +0\.\d{5} +-?\d\.\d{2}\n/,
      /linucb alpha=0\.5 /,
      /\n40 rows written to/,
    ],
    ['--seeds', '5'],
  ],
];

it("the paper's Table 1 agrees with itself: std/mean of its own figures, and minimum < mean < maximum", () => {
  const rows = Object.values(PAPER_TABLE_1.rows);
  expect(rows).toHaveLength(3);
  for (const { mean, std, max, min, stdOverMean } of rows) {
    expect(stdOverMean).toBe(`${((100 * std) / mean).toFixed(1)} %`);
    expect(min).toBeLessThan(mean);
    expect(mean).toBeLessThan(max);
  }
});

/** Scripts that write their data as CSV. */
const WITH_CSV = [
  ...['table-1.mjs', 'bucket-test.mjs', 'error-of-replay.mjs', 'serving-models.mjs', 'estimators.mjs', 'unbiased.mjs'],
];

const folder = mkdtempSync(join(tmpdir(), 'hindcast-examples-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('examples', () => {
  // A log of one's own, and policies on it; the others take a world to be simulated.
  const SHORT = ['csv-log.mjs', 'policies-in-code.mjs'];
  const examples = EXAMPLES.map(([name, needed, args = []]) => ({ name, needed, args, long: !SHORT.includes(name) }));
  eachCase(examples, async ({ name, needed, args }) => {
    const csv = join(folder, `${name}.csv`);
    const printed = await run(name, WITH_CSV.includes(name) ? [...args, '--csv', csv] : args);
    // Where a temporary folder lies decides how long its line is.
    const text = printed.replace(csv, 'FILE');
    if (WITH_CSV.includes(name)) {
      const [head, ...rows] = readFileSync(csv, 'utf8').trimEnd().split('\n');
      expect(text).toContain(`${rows.length} rows written to FILE`);
      for (const row of rows) expect(row.split(',').length).toBe(head.split(',').length);
    }
    for (const pattern of needed) expect(text).toMatch(pattern);
    for (const line of text.split('\n')) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
  });
});
