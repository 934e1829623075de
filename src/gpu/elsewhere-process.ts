/** The process of `elsewhere.ts`: writes the adapters it sees to standard output. */

import { listAdapters } from './device.js';
import type { Answer } from './elsewhere.js';

async function look(): Promise<Answer> {
  try {
    return { adapters: await listAdapters(process.argv[2] === 'swiftshader') };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

// Drivers keep a process alive.
process.stdout.write(JSON.stringify(await look()), () => process.exit());
