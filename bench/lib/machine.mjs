/** Where a benchmark ran: without this a number means nothing. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { VERSION } from '../../dist/version.js';

export function describeMachine() {
  const cpus = os.cpus();
  return {
    cpu: (cpus[0]?.model ?? 'unknown').replace(/\s+/g, ' ').trim(),
    cores: os.availableParallelism(),
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    os: osName(),
    node: process.version,
    hindcast: VERSION,
    commit: commit(),
    /** Above the number of cores, other programs were running: trust CPU seconds, not wall seconds. */
    loadAverage: os.loadavg()[0],
  };
}

function osName() {
  try {
    return /^PRETTY_NAME="(.*)"$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? os.type();
  } catch {
    return `${os.type()} ${os.release()}`;
  }
}

/** The commit, with a + where tracked files differ from it; `null` outside a checkout. */
function commit() {
  try {
    const run = (...args) =>
      execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    const dirty = run('status', '--porcelain', '--untracked-files=no') !== '';
    return run('rev-parse', '--short', 'HEAD') + (dirty ? '+' : '');
  } catch {
    return null;
  }
}

/** Writes `<out>/<date>-<name>.json` and returns its path. */
export function writeResult(out, name, result) {
  mkdirSync(out, { recursive: true });
  const date = new Date().toISOString();
  const file = join(out, `${date.slice(0, 19).replaceAll(':', '')}-${name}.json`);
  writeFileSync(
    file,
    `${JSON.stringify({ benchmark: name, version: 1, date, machine: describeMachine(), ...result }, null, 1)}\n`,
  );
  return file;
}
