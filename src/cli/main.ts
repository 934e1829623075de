#!/usr/bin/env node
/** The `hindcast` command: connects `run` to this process and to nothing else. */

import { abortOnSignals } from './interrupt.js';
import { isClosedPipe } from './io.js';
import { run } from './run.js';

// `hindcast … | head` closes the pipe while we write. That is the reader's choice, not an error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if (!isClosedPipe(error)) throw error;
  });
}

const signal = abortOnSignals();
process.exitCode = await run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  signal,
});
// After an interruption a worker or driver may hold the process open for work that nobody wants any more.
if (signal.aborted) setTimeout(() => process.exit(), 1000).unref();
