#!/usr/bin/env node
/** The `hindcast` command: connects `run` to this process and to nothing else. */

import { abortOnSignals } from './interrupt.js';
import { run } from './run.js';

// Whoever writes is told of a failure too, and reports it; as an event of the stream it would only end the process.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

/** Time for a finished process to end by itself. */
const LINGER_MS = 1000;

const signal = abortOnSignals();
process.exitCode = await run(process.argv.slice(2), {
  // Opened where it is asked for.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  signal,
});
// A worker or a driver may hold the process open for work that nobody wants any more; output still on its way may not be cut.
const leave = (): void => {
  if (process.stdout.writableLength === 0 && process.stderr.writableLength === 0) process.exit();
  setTimeout(leave, LINGER_MS).unref();
};
setTimeout(leave, LINGER_MS).unref();
