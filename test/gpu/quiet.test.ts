/** Whoever did not ask for a GPU reads nothing of Dawn and Vulkan's drivers, which write to standard error by themselves. */

import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareSwiftShader } from '#dist/gpu/swiftshader.js';
import { ADAPTER } from '../adapter.js';
import { MAIN, start } from '../cli/spawn.js';
import { LONG } from '../long.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-quiet-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const arms = Array.from({ length: 200 }, (_, t) => `${'ab'[(t * 7 + (t >> 3)) % 2]},${t % 3 === 0 ? 1 : 0},${t % 5}`);
const log = [
  file('log.csv', `arm,payoff,x\n${arms.join('\n')}\n`),
  '--arm',
  'arm',
  '--payoff',
  'payoff',
  '--numeric',
  'x',
];
const set = file('set.json', '[{"family":"constant"}]');
const learners = file('learners.json', '[{"algorithm":"linucb","alpha":1}]');
const COMMANDS: [string, string[]][] = [
  ['evaluate', ['evaluate', ...log, '--policies', set]],
  ['replay', ['replay', ...log, '--learners', learners]],
  ['devices', ['devices']],
];

/** Drivers that this machine may lack: SwiftShader's loader, told of one that is not there. */
let drivers: Record<'missing' | 'installed', Record<string, string>>;
const installed = process.env.VK_DRIVER_FILES;
beforeAll(async () => {
  await prepareSwiftShader();
  const json = process.env.VK_DRIVER_FILES as string;
  const loader = { LD_LIBRARY_PATH: dirname(json) };
  if (installed === undefined) delete process.env.VK_DRIVER_FILES;
  else process.env.VK_DRIVER_FILES = installed;
  drivers = {
    missing: { ...loader, VK_DRIVER_FILES: join(folder, 'none.json') },
    installed: {},
  };
});

describe.each(['missing', 'installed'] as const)('with the driver %s', (driver) => {
  it.each(COMMANDS)('%s says nothing of it', driver === 'missing' ? {} : LONG, async (_, argv) => {
    const { status, stderr } = await start(argv, drivers[driver]).ended;
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

it('a GPU that is asked for may have its drivers say why there is none', async () => {
  const { status, stderr } = await start([...COMMANDS[0][1], '--device', 'gpu'], drivers.missing).ended;
  expect(status).toBe(1);
  // Dawn's own line is there: the tests above would see it.
  expect(stderr).toMatch(/Found no drivers|Couldn't load|vk/);
  expect(stderr).toContain('hindcast: there is no GPU here that WebGPU can use');
});

describe('devices', () => {
  it('lists SwiftShader where it is installed, last, and the adapter under test', async () => {
    const { stdout } = await start(['devices', '--format', 'json']).ended;
    const names = (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name.toLowerCase());
    expect(names.at(-1)).toContain('swiftshader');
    expect(names.join()).toContain(ADAPTER);
  });

  it(
    'without SwiftShader lists what is left, and --adapter swiftshader is an error as any other name is',
    LONG,
    async () => {
      // The program elsewhere, with every package but SwiftShader's.
      const home = join(folder, 'home');
      mkdirSync(join(home, 'node_modules'), { recursive: true });
      writeFileSync(join(home, 'package.json'), '{ "type": "module", "version": "0.0.0" }');
      cpSync(dirname(dirname(MAIN)), join(home, 'dist'), { recursive: true });
      const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
      for (const name of readdirSync(modules).filter((name) => name !== '@sparticuz'))
        symlinkSync(join(modules, name), join(home, 'node_modules', name));
      const main = join(home, 'dist/cli/main.js');
      const { stdout } = await start(['devices', '--format', 'json'], drivers.missing, main).ended;
      expect(JSON.parse(stdout)).toEqual([]);
      for (const [name, words] of [
        ['swiftshader', /npm install --save-dev @sparticuz\/chromium@\d+\.\d+\.\d+, hindcast devices, or --device cpu/],
        ['geforce', /hindcast devices, or --device cpu/],
      ] as const) {
        for (const [, argv] of COMMANDS.slice(0, 2)) {
          const { status, stderr } = await start([...argv, '--adapter', name], drivers.missing, main).ended;
          expect(status, stderr).toBe(2);
          expect(stderr).toMatch(/hindcast: no adapter has that name/);
          expect(stderr).toContain(`got:    ${name}`);
          expect(stderr).toMatch(words);
        }
      }
    },
  );
});
