/** `--gpus all`: a part of a run on each GPU of this machine, each in a process of its own, and the result of all. */

import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { EngineError, InputError } from '../errors.js';
import { temporaryFolder } from '../files/temporary-folder.js';
import { RENDERER_NAMES } from '../report/renderers.js';
import type { StoredParts } from '../run/parts/stored.js';
import { plural } from '../words.js';
import { typedWithout, typedWords } from './again.js';
import type { EngineOptions } from './engine-options.js';
import { chooseFormat } from './format.js';
import type { Io } from './io.js';
import { checkPartOptions, pathsIn } from './part-options.js';
import { withParts } from './parts.js';
import { progressDisplay } from './progress.js';
import { checkPlace } from './submitted-command.js';

interface GpuRun {
  readonly command: Command;
  readonly files: readonly string[];
  readonly options: EngineOptions;
  readonly io: Io;
}

/** Options that parts do not have, or that each has its own of. */
const OWN = ['--gpus', '--device', '--adapter', '--threads', '--out', '--format', '--pictures', '--quiet', '--debug'];

/**
 * Computes a part on each GPU, and puts them together.
 *
 * @param merge makes the result of the parts.
 * @throws InputError where there is no GPU, or the command would not run; EngineError where a process fails.
 */
export async function onEachGpu(run: GpuRun, merge: (parts: StoredParts) => Promise<void>): Promise<void> {
  const { command, files, options, io } = run;
  checkPartOptions(files, { out: 'part.parquet' });
  chooseFormat(options, RENDERER_NAMES, io);
  await checkPlace(options.out, [...files, ...pathsIn(options)]);
  const adapters = await adaptersFor(options);
  const own = command.options.filter(({ long }) => OWN.includes(long ?? ''));
  const [name, ...words] = typedWithout(typedWords(command), command.options, own);
  const { threads = Math.max(1, Math.floor(availableParallelism() / adapters.length)) } = options;
  const folder = await temporaryFolder();
  const counts = join(folder.path, 'counts');
  const progress = await progressDisplay(io, options.quiet === true);
  try {
    let done = 0;
    const parts = adapters.map((adapter, i) => ({
      file: join(folder.path, `part-${i + 1}.parquet`),
      own: ['--part', `${i + 1}/${adapters.length}`, '--adapter', adapter, '--threads', String(threads)],
    }));
    const stop = new AbortController();
    const signal = AbortSignal.any([io.signal, stop.signal]);
    const report = () => progress.report({ phase: 'follow', done, total: parts.length });
    report();
    const ended = await Promise.allSettled(
      parts.map(async ({ file, own }) => {
        try {
          await hindcast([name, ...own, '--counts', counts, '--out', file, '--quiet', ...words], io, signal);
        } catch (error) {
          // The others' parts would be of no use.
          stop.abort();
          throw error;
        }
        done++;
        report();
      }),
    );
    io.signal.throwIfAborted();
    const failed = ended.filter((end) => end.status === 'rejected').map(({ reason }) => reason as unknown);
    if (failed.length > 0) throw failed.find((reason) => !(reason instanceof Stopped)) ?? failed[0];
    progress.stop();
    await withParts(
      parts.map(({ file }) => file),
      counts,
      merge,
    );
  } finally {
    progress.stop();
    await folder.remove();
  }
}

/** Names of the adapters that are to be used. */
async function adaptersFor({ adapter, device }: EngineOptions): Promise<string[]> {
  const { adaptersElsewhere } = await import('../gpu/elsewhere.js');
  const all = device === 'cpu' ? [] : ((await adaptersElsewhere(adapter !== undefined)) ?? []);
  const wanted = all.filter(({ name, auto }) =>
    adapter === undefined ? auto : name.toLowerCase().includes(adapter.toLowerCase()),
  );
  // The one from npm goes by what was asked for.
  if (wanted.length === 1 && adapter !== undefined) return [adapter];
  if (wanted.length > 0) return wanted.map(({ name }) => name);
  throw new InputError({
    problem: 'there is no GPU for --gpus all',
    got:
      device === 'cpu' ? '--device cpu' : `${plural(all.length, 'adapter')}: ${all.map(({ name }) => name).join('; ')}`,
    needed: adapter === undefined ? 'GPUs' : `adapters whose name has ${adapter} in it`,
    hint: 'hindcast devices; or without --gpus',
  });
}

/** A process that was ended because another failed. */
class Stopped extends Error {}

/** Runs hindcast in another process. @throws what it said, as an error of its kind. */
function hindcast(argv: readonly string[], io: Io, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const main = fileURLToPath(new URL('./main.js', import.meta.url));
    const child = spawn(process.execPath, [main, ...argv], { env: io.env, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const end = () => child.kill('SIGTERM');
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    child.once('error', reject);
    child.once('close', (status, ended) => {
      signal.removeEventListener('abort', end);
      if (status === 0) return resolve();
      if (signal.aborted) return reject(new Stopped());
      const text = said.replace(/^hindcast: /, '').trimEnd() || `a process ended with ${ended ?? `status ${status}`}`;
      reject(status === 2 ? new InputError({ problem: text }) : new EngineError(text));
    });
  });
}
