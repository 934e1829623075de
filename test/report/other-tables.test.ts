import { describe, expect, test } from 'vitest';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { inspectLog } from '#dist/open/inspect.js';
import { STREAM, threefry2x32 } from '#dist/random/threefry.js';
import { type AdapterDescription, devicesTable } from '#dist/report/devices-table.js';
import { inspectTable } from '#dist/report/inspect-table.js';
import { type PlanReport, planTable } from '#dist/report/plan-table.js';
import { displayWidth } from '#dist/report/text.js';

const fits = (text: string): void => {
  for (const line of text.split('\n')) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
};

const software: AdapterDescription = {
  name: 'llvmpipe (LLVM 15.0.6, 256 bits)',
  vendor: 'mesa',
  architecture: 'software',
  backend: 'vulkan',
  type: 'software',
  driver: 'llvmpipe: Mesa 25.0.7-2~bpo12+1 (LLVM 15.0.6) 0.0.1',
  subgroups: [8, 8],
  maxBufferSize: 4294967295,
  maxStorageBufferBindingSize: 134217728,
  maxComputeWorkgroupStorageSize: 32768,
  f16: true,
  auto: false,
};
const card: AdapterDescription = {
  ...software,
  name: `NVIDIA ${'very '.repeat(20)}long name`,
  type: 'gpu',
  subgroups: [32, 64],
  maxStorageBufferBindingSize: 2147483644,
  f16: false,
  auto: true,
};

describe('devices', () => {
  test('shows what matters about each adapter', () => {
    const text = devicesTable([software]);
    for (const part of [
      'subgroups of 8',
      '32 KiB workgroup',
      'binding 128 MiB',
      'buffer 4 GiB − 1',
      '--device auto uses the CPU',
    ]) {
      expect(text).toContain(part);
    }
    fits(text);
  });

  test('marks the one adapter that auto picks', () => {
    const text = devicesTable([software, card, { ...card, name: 'second' }]);
    expect(text.match(/\(auto\)/g)).toHaveLength(1);
    expect(text).toMatch(/--device auto uses NVIDIA very.*…/);
    expect(text).toContain('subgroups of 32 to 64');
    expect(text).toContain('2 GiB − 4');
    fits(text);
  });

  test('says so where there is none', () => {
    expect(devicesTable([])).toContain('No WebGPU adapter was found');
    expect(devicesTable([{ ...software, subgroups: null, driver: '', vendor: '' }])).toContain('no subgroups');
  });
});

describe('plan', () => {
  const plan: PlanReport = {
    hindcast: '0.1.0',
    arms: 20,
    delta: 0.05,
    matches: { validEvents: 1000, expected: 20_000, exact: 21_025, bound: 40_120 },
    error: { error: 0.005, value: 0.05, range: [0, 1], theorem2: 816_338, gamma1: 0.02, gamma2: 0.1, normal: 145_976 },
  };

  test('says how many events each question needs', () => {
    const text = planTable(plan);
    for (const number of ['20,000', '21,025', '40,120', '145,976', '816,338']) expect(text).toContain(number);
    fits(text);
  });

  test('shows only what was asked', () => {
    expect(planTable({ ...plan, error: null })).not.toContain('Theorem 2');
    expect(planTable({ ...plan, matches: null })).not.toContain('valid event');
    fits(
      planTable({
        ...plan,
        error: { ...plan.error!, value: 123456.789, error: 1e-9, range: [-1e9, 1e9], theorem2: 1e300, normal: 1e299 },
      }),
    );
  });
});

describe('inspect', () => {
  const users = Array.from({ length: 2000 }, (_, t) => `user ${t % 4}\u001b[31m`);
  const inspected = (arm: (t: number) => number) =>
    inspectTable(
      inspectLog(
        logFromColumns({
          armIndex: Uint32Array.from(users, (_, t) => arm(t)),
          arms: 2,
          payoff: new Uint8Array(2000),
          user: users,
        }),
      ),
    );

  test('shows in which groups arms are off, of a log that it finds biased', () => {
    // Users 0 and 2 always have arm 0, users 1 and 3 arm 1.
    const text = inspected((t) => t % 2);
    expect(text).toMatch(/^the user +arm +events +shown +due$/m);
    expect(text).toMatch(/^user 0.* +500 +(100\.0|0\.0) % +50\.0 %$/m);
    expect(text).not.toContain('\u001b');
    fits(text);
    // Facts, that table and the arms, with an empty line between them and none elsewhere.
    expect(
      text
        .trimEnd()
        .split('\n\n')
        .map((part) => part.split(/ {2,}/, 1)[0]),
    ).toEqual(['log', 'the user', 'index']);
    expect(text).not.toMatch(/\n{3}|^\n|\n\n$/);
  });

  test('has no such table where the arms are even', () => {
    const arms = new Uint32Array(2);
    const even = inspected((t) => {
      threefry2x32(1, STREAM.simulation, t, 0, arms);
      return arms[0] & 1;
    });
    expect(even).not.toMatch(/shown +due/);
  });
});
