/**
 * The adapters of this machine as another process sees them. Dawn and Vulkan's drivers write to standard error, where nothing
 * but the end of a process keeps their lines from a user, and a driver may crash or hang.
 */

import { EngineError } from '../errors.js';
import type { AdapterDescription } from './adapter.js';

/** What the other process writes: `elsewhere-process.ts`. */
export type Answer = { readonly adapters: AdapterDescription[] } | { readonly error: string };

/** Drivers answer within half a second, SwiftShader from npm within a few where it is unpacked first. */
const LONGEST_MS = 60_000;

/**
 * @param swiftshader the one from npm too, where that is installed.
 * @returns `null` where the code is a bundle's, which has no file for the other process.
 * @throws EngineError where WebGPU does not load, or the other process ends without an answer.
 */
export async function adaptersElsewhere(swiftshader: boolean): Promise<AdapterDescription[] | null> {
  const program = await programFile();
  if (program === null) return null;
  const { spawn } = await import('node:child_process');
  let written = '';
  const ended = new Promise<string>((resolve) => {
    const child = spawn(process.execPath, [program, ...(swiftshader ? ['swiftshader'] : [])], {
      stdio: ['ignore', 'pipe', 'ignore'],
      // Flags of this process are not for that file; Electron's own binary is Node's only when it is told so.
      env: { ...process.env, NODE_OPTIONS: '', ELECTRON_RUN_AS_NODE: '1' },
      timeout: LONGEST_MS,
      killSignal: 'SIGKILL',
      windowsHide: true,
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      written += text;
    });
    child.once('error', (error) => resolve(error.message));
    child.once('close', (status, signal) => resolve(signal ?? `status ${status}`));
  });
  // Node's permission model throws.
  const ending = await ended.catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  const answer = parsed(written);
  if (answer === null) throw new EngineError(`looking for GPUs in a process of its own failed: ${ending}`);
  if ('error' in answer) throw new EngineError(answer.error);
  return answer.adapters;
}

async function programFile(): Promise<string | null> {
  const [{ existsSync }, { fileURLToPath }] = await Promise.all([import('node:fs'), import('node:url')]);
  try {
    const program = fileURLToPath(new URL('./elsewhere-process.js', import.meta.url));
    return existsSync(program) ? program : null;
  } catch {
    // A bundle of CommonJS has no URL.
    return null;
  }
}

function parsed(text: string): Answer | null {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return null;
  }
}
