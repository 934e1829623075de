/** Parses a command line, runs its command and turns whatever happens into an exit status. */

import { Command, CommanderError } from 'commander';
import { HindcastError } from '../errors.js';
import { VERSION } from '../version.js';
import { COMMANDS } from './commands.js';
import { Interrupted } from './interrupt.js';
import { type Io, styleFor, writeAll } from './io.js';
import { commandLine, Resumable } from './resumable.js';

/** Exit status of a failure of ours. */
const FAILURE = 1;
/** Exit status of bad input or usage. */
const USAGE = 2;

/**
 * Runs one command line.
 * @param argv arguments after the program's name
 * @returns exit status: 0 success, 1 a failure (verification included), 2 bad input or usage, 130 Ctrl-C (143 SIGTERM)
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  // Known before parsing, so that it also applies to what goes wrong while parsing.
  const options = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  try {
    await program(io).parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    // commander has printed its message, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
    return report(error, io, argv, options.includes('--debug'));
  }
}

function program(io: Io): Command {
  const root = new Command('hindcast')
    .description(
      'Unbiased offline evaluation of thousands of contextual-bandit policies from one log of randomized decisions.',
    )
    .version(VERSION, '-V, --version')
    .showHelpAfterError('  try:    hindcast --help')
    .configureHelp({ helpWidth: 80 })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'hindcast: ').replace('\n(Did you', ' (Did you')),
    })
    .exitOverride();
  for (const define of COMMANDS) {
    const command = define(io).copyInheritedSettings(root);
    command.showHelpAfterError(`  try:    hindcast ${command.name()} --help`);
    command.option('--debug', 'print stack traces');
    root.addCommand(command);
  }
  return root;
}

async function report(error: unknown, io: Io, argv: readonly string[], debug: boolean): Promise<number> {
  if (io.signal.aborted) {
    const reason: unknown = io.signal.reason;
    const left =
      error instanceof Resumable
        ? `${error.message}\n  to go on: ${commandLine(argv)}\n`
        : 'interrupted; no result was written\n';
    await writeAll(io.stderr, `hindcast: ${left}`);
    return reason instanceof Interrupted ? reason.exitStatus : 130;
  }
  const known = error instanceof HindcastError;
  const message = error instanceof Error ? error.message : String(error);
  const [problem, ...rest] = (known ? message : `unexpected failure: ${message}`).split('\n');
  if (!known) rest.push('  try:    the same with --debug for a stack trace, and report it as a bug');
  const lines = [`${styleFor(io.stderr, io.env).warn('hindcast:')} ${problem}`, ...rest];
  if (debug) lines.push(...trace(error));
  await writeAll(io.stderr, `${lines.join('\n')}\n`);
  return known ? error.exitStatus : FAILURE;
}

/** Stack traces of an error and of what caused it. */
function trace(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const cause = error.cause === undefined ? [] : ['caused by:', ...trace(error.cause)];
  return [error.stack ?? error.message, ...cause];
}
