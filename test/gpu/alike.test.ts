/** Devices that bear one name: which one Vulkan is told to show. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withOneOf } from '#dist/gpu/alike.js';

const { env } = process;
const before = env.VK_DRIVER_FILES;
/** What Vulkan shows of each driver. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  'a.json': ['card', 'other'],
  'b.json': ['card'],
  'c.json': [],
};
const list = async (): Promise<string[]> => (env.VK_DRIVER_FILES ?? '').split(':').flatMap((file) => SHOWN[file] ?? []);
const seen = async (): Promise<string | undefined> => env.VK_DRIVER_FILES;

describe('devices of several drivers', () => {
  beforeEach(() => {
    env.VK_DRIVER_FILES = 'c.json:a.json:b.json';
  });
  afterEach(() => {
    if (before === undefined) delete env.VK_DRIVER_FILES;
    else env.VK_DRIVER_FILES = before;
  });

  it.each([
    [0, 'a.json'],
    [1, 'b.json'],
  ])('place %d: Vulkan sees %s alone, and everything afterwards', async (place, file) => {
    expect(await withOneOf({ name: 'card', place }, list, seen)).toBe(file);
    await expect(withOneOf({ name: 'card', place }, list, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(env.VK_DRIVER_FILES).toBe('c.json:a.json:b.json');
  });

  it('a place that is not there is an error', async () => {
    await expect(withOneOf({ name: 'card', place: 2 }, list, seen)).rejects.toThrow(/fewer than 3 of them/);
  });
});

it('cards of one driver that stay together are an error that says what is needed', async () => {
  const error = withOneOf(
    { name: 'card', place: 1 },
    async () => ['card', 'card'],
    async () => 'opened',
  );
  await expect(error).rejects.toThrow(/called card cannot be told apart here[\s\S]*mesa-vulkan-drivers/);
});
