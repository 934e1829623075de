/** Runs the command as users do: another process, with its own signals and pipes. */

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The compiled command. */
export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface Ended {
  status: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** Starts `hindcast`; `ended` resolves with everything it wrote. */
export function start(
  argv: readonly string[],
  env: Record<string, string> = {},
  main = MAIN,
): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [main, ...argv], {
    env: { ...process.env, NO_COLOR: '', FORCE_COLOR: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString('utf8');
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status, signal) => resolve({ status, signal, stdout, stderr }));
  });
  return { child, ended };
}
