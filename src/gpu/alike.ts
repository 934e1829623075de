/**
 * One of several devices that bear one name. Dawn takes the first that Vulkan shows it of a name, so that Vulkan is to show no other: one
 * driver of several, or of the cards of a driver the one at an address, by Mesa's device-select layer (docs.mesa3d.org, "DRI_PRIME").
 */

import { EngineError } from '../errors.js';

/** Which of those of a name. */
export interface Alike {
  /** As the driver gives it. */
  readonly name: string;
  /** 0.. */
  readonly place: number;
}

/** Names of the adapters that Dawn sees now. */
type List = () => Promise<readonly string[]>;

const DRIVERS = 'VK_DRIVER_FILES';
const CARD = 'DRI_PRIME';

/**
 * Does work while Vulkan shows one device of a name.
 *
 * @throws EngineError where it cannot be kept to one.
 */
export async function withOneOf<T>({ name, place }: Alike, list: List, work: () => Promise<T>): Promise<T> {
  const count = async (): Promise<number> => (await list()).filter((other) => other === name).length;
  let left = place;
  for (const file of (process.env[DRIVERS] ?? '').split(':')) {
    const found = await within(file === '' ? {} : { [DRIVERS]: file }, async () => {
      const here = await count();
      if (left >= here) {
        left -= here;
        return null;
      }
      return within(here === 1 ? {} : { [CARD]: await cardOf(left, here, name) }, async () => {
        if ((await count()) !== 1) throw cannotTell(name, 'Vulkan shows all of them whatever is asked');
        return { result: await work() };
      });
    });
    if (found !== null) return found.result;
  }
  throw cannotTell(name, `fewer than ${place + 1} of them`);
}

/** A card of `count` alike, in the order in which Vulkan's loader shows them: as Mesa's layer calls it, and nothing else. */
async function cardOf(place: number, count: number, name: string): Promise<string> {
  const [{ readdir, readFile }, { join }] = await Promise.all([import('node:fs/promises'), import('node:path')]);
  const folder = '/sys/bus/pci/devices';
  const kinds = new Map<string, string[]>();
  for (const address of (await readdir(folder).catch(() => [])).sort()) {
    const about = await Promise.all(
      ['class', 'vendor', 'device'].map((file) => readFile(join(folder, address, file), 'utf8').catch(() => '')),
    );
    const [kind, ...rest] = about.map((text) => text.trim());
    // Display controllers.
    if (!kind.startsWith('0x03')) continue;
    kinds.set(rest.join(), [...(kinds.get(rest.join()) ?? []), address]);
  }
  const fitting = [...kinds.values()].filter((cards) => cards.length === count);
  if (fitting.length !== 1) throw cannotTell(name, `${fitting.length} kinds of cards of which there are ${count}`);
  return `pci-${fitting[0][place].replaceAll(/[:.]/g, '_')}!`;
}

function cannotTell(name: string, got: string): EngineError {
  return new EngineError(
    [
      `devices that are all called ${name} cannot be told apart here`,
      `  got:    ${got}`,
      "  needed: Mesa's device-select layer (Debian: mesa-vulkan-drivers), or processes that see one device each",
      '  try:    a container or a job of Slurm for each device, and --part i/N in each',
    ].join('\n'),
  );
}

async function within<T>(values: { readonly [name: string]: string }, work: () => Promise<T>): Promise<T> {
  const { env } = process;
  const before = Object.keys(values).map((name) => [name, env[name]] as const);
  Object.assign(env, values);
  try {
    return await work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete env[name];
      else env[name] = value;
    }
  }
}
