/** Parses a command line, runs its command and turns whatever happens into an exit status. */

import { Command, CommanderError } from 'commander';
import { HindcastError, InputError } from '../errors.js';
import { printable, printableLines } from '../printable.js';
import { VERSION } from '../version.js';
import { COMMANDS } from './commands.js';
import { systemFailure } from './failure.js';
import { errorInFlags, flagsOf, inFlags } from './flags.js';
import { Interrupted } from './interrupt.js';
import { type Io, tell, writeAll } from './io.js';
import { loadNames } from './names.js';
import { commandLine, Resumable } from './resumable.js';
import { isStandardInput } from './standard-input.js';
import { refuseRepeats } from './values.js';

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
    return await parse(argv, io);
  } catch (error) {
    const [text, status] = message(error, io, argv, options.includes('--debug'));
    // Where standard error takes nothing, the exit status is all that is left to say it.
    await tell(io, text).catch(() => undefined);
    return status;
  }
}

/** Runs the command. @returns its exit status; of usage errors, which commander words, and of help too. */
async function parse(argv: readonly string[], io: Io): Promise<number> {
  const printed = { out: '', err: '' };
  let status = 0;
  try {
    await loadNames(argv);
    await program(io, printed).parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    status = error.exitCode === 0 ? 0 : USAGE;
  }
  if (printed.out !== '') await writeAll(io.stdout, printed.out);
  if (printed.err !== '') await tell(io, printed.err);
  return status;
}

/** @param printed takes what commander has to say. */
function program(io: Io, printed: { out: string; err: string }): Command {
  const root = new Command('hindcast')
    .description(
      'Unbiased offline evaluation of thousands of contextual-bandit policies from one log of randomized decisions.',
    )
    .version(VERSION, '-V, --version')
    .showHelpAfterError('  try:    hindcast --help')
    .configureHelp({ helpWidth: 80 })
    .configureOutput({
      writeOut: (text) => {
        printed.out += text;
      },
      writeErr: (text) => {
        printed.err += text;
      },
      outputError: (text, write) =>
        write(
          printableLines(text)
            .replace(/^error: /, 'hindcast: ')
            .replace('\n(Did you', ' (Did you')
            .replace(/^(hindcast: unknown option '(--[\w-]+)')$/m, (_, head, flag) => `${head}${ownersOf(root, flag)}`),
        ),
    })
    .exitOverride();
  for (const define of COMMANDS) {
    const command = define(io).copyInheritedSettings(root);
    command.showHelpAfterError(`  try:    hindcast ${command.name()} --help`);
    command.option('--debug', 'print stack traces');
    root.addCommand(refuseRepeats(command));
  }
  return root;
}

/** Names of the commands that do know an option, for one that does not. */
function ownersOf({ commands }: Command, flag: string): string {
  const owners = commands.filter(({ options }) => options.some(({ long }) => long === flag));
  const names = owners.map((command) => command.name()).join(', ');
  return names === '' ? '' : `, which is one of ${names}`;
}

/** What an error says to people, and the exit status. */
function message(error: unknown, io: Io, argv: readonly string[], debug: boolean): [text: string, status: number] {
  if (io.signal.aborted) {
    const reason: unknown = io.signal.reason;
    const left =
      error instanceof Resumable
        ? `${printable(spoken(error, io))}\n  to go on: ${commandLine(error.again ?? argv)}${argv.some(isStandardInput) ? ', with the same standard input' : ''}\n`
        : 'interrupted; no result was written\n';
    return [`hindcast: ${left}`, reason instanceof Interrupted ? reason.exitStatus : 130];
  }
  const known = error instanceof HindcastError;
  const [problem, ...rest] = printableLines(known ? spoken(error, io) : unexpected(error)).split('\n');
  const lines = [`hindcast: ${problem}`, ...rest];
  if (debug) lines.push(...trace(error).map(printableLines));
  return [`${lines.join('\n')}\n`, known ? error.exitStatus : FAILURE];
}

/** The message of an error, with the flags of options. */
function spoken(error: Error, io: Io): string {
  const flags = flagsOf(COMMANDS.map((define) => define(io)));
  return error instanceof InputError ? errorInFlags(error, flags) : inFlags(error.message, flags);
}

function unexpected(error: unknown): string {
  const failure = systemFailure(error);
  if (failure !== null) return `${failure.problem}\n  try:    ${failure.hint}`;
  const text = error instanceof Error ? error.message : String(error);
  return `unexpected failure: ${text}\n  try:    the same with --debug for a stack trace, and report it as a bug`;
}

/** Stack traces of an error and of what caused it. */
function trace(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const cause = error.cause === undefined ? [] : ['caused by:', ...trace(error.cause)];
  return [error.stack ?? error.message, ...cause];
}
