/** The scripts in examples/, run as a user would run them. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '#dist/report/text.js';

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
      /std\/mean\n/,
      /epsilon-greedy epsilon=0\.4( +0\.\d{4}){4} +\d+\.\d %/,
      /linucb alpha=1 /,
    ],
    ['--visits', '4000', '--replicas', '5'],
  ],
];

describe('examples', () => {
  it.each(EXAMPLES)('%s', async (name, needed, args = []) => {
    const text = await run(name, args);
    for (const pattern of needed) expect(text).toMatch(pattern);
    for (const line of text.split('\n')) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
  });
});
