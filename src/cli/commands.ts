/** The commands of the program, in the order of `hindcast --help`. A new one is a file and a line here. */

import type { Command } from 'commander';
import { cancelCommand } from './commands/cancel.js';
import { convertCommand } from './commands/convert.js';
import { devicesCommand } from './commands/devices.js';
import { evaluateCommand } from './commands/evaluate.js';
import { inspectCommand } from './commands/inspect.js';
import { jobsCommand } from './commands/jobs.js';
import { mergeCommand } from './commands/merge.js';
import { planCommand } from './commands/plan.js';
import { replayCommand } from './commands/replay.js';
import { reportCommand } from './commands/report.js';
import { simulateCommand } from './commands/simulate.js';
import { submitCommand } from './commands/submit.js';
import type { Io } from './io.js';

/**
 * A command defines its name, options and help at once, and imports what it needs to run (DuckDB, Dawn) in its
 * action, so that `hindcast --help` starts in an instant.
 */
export type DefineCommand = (io: Io) => Command;

export const COMMANDS: readonly DefineCommand[] = [
  evaluateCommand,
  replayCommand,
  mergeCommand,
  submitCommand,
  jobsCommand,
  cancelCommand,
  reportCommand,
  inspectCommand,
  convertCommand,
  planCommand,
  simulateCommand,
  devicesCommand,
];
