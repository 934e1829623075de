/**
 * Error classes. Every message says where, what was got, what was needed and what to do next;
 * the class decides the exit status of the command line (2: the caller's input, 1: our failure).
 */

import { printable, printableLines } from './printable.js';

/** Where in the caller's input a fault lies. */
export interface Place {
  /** File as the caller named it. */
  file?: string;
  /** Data row, 0-based over that file, header excluded. */
  row?: number;
  /** Line in a text file, 1-based. */
  line?: number;
  /** Column name. */
  column?: string;
  /** Path in a JSON file or in an object from code, e.g. `[3].weights[0][7]`. */
  path?: string;
}

/** The parts of a message about bad input. */
export interface Fault extends Place {
  /** What is wrong, in one clause: "payoff is outside the declared range". */
  problem: string;
  /** The value found, as text. */
  got?: string;
  /** What would have been right. */
  needed?: string;
  /** The next step for the caller. */
  hint?: string;
}

/** Base of all errors that hindcast raises on purpose. */
export class HindcastError extends Error {
  override readonly name: string = 'HindcastError';
  /** Exit status of the command line. */
  readonly exitStatus: 1 | 2 = 1;
}

/** The caller's data, policies or options are at fault (exit status 2). */
export class InputError extends HindcastError {
  override readonly name: string = 'InputError';
  override readonly exitStatus = 2;
  /** The parts of the message. */
  readonly fault: Fault;

  constructor(fault: Fault, options?: ErrorOptions) {
    super(describeFault(fault), options);
    this.fault = fault;
  }
}

/** The log's logging policy is not uniform: replay would be biased (exit status 2). */
export class NotUniformError extends InputError {
  override readonly name = 'NotUniformError';
}

/** A device, worker or verification failed (exit status 1). */
export class EngineError extends HindcastError {
  override readonly name = 'EngineError';
}

/** What the work gives. @throws InputError with the parts of the place that the fault did not say. */
export function atPlace<T>(place: Place, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof InputError ? new InputError({ ...place, ...error.fault }, { cause: error }) : error;
  }
}

/** The files of a log, in a place. */
export function filesText(files: readonly string[]): string {
  return files.length <= 3 ? files.join(', ') : `${files[0]} and ${files.length - 1} more`;
}

/** One line per part, nothing in it that steers a terminal, the place first: `log.csv, row 12 (line 14), column "click": …`. */
export function describeFault(fault: Fault): string {
  const place: string[] = [];
  if (fault.file !== undefined) place.push(printable(fault.file));
  if (fault.row !== undefined) place.push(`row ${fault.row}${fault.line === undefined ? '' : ` (line ${fault.line})`}`);
  else if (fault.line !== undefined) place.push(`line ${fault.line}`);
  if (fault.column !== undefined) place.push(`column "${printable(fault.column)}"`);
  if (fault.path !== undefined && fault.path !== '') place.push(printable(fault.path));
  const problem = printableLines(fault.problem);
  const lines = [place.length > 0 ? `${place.join(', ')}: ${problem}` : problem];
  // Further lines of a part stand under its first one.
  const add = (label: string, text: string | undefined): void => {
    if (text !== undefined) lines.push(`  ${label}${printableLines(text).replaceAll('\n', '\n          ')}`);
  };
  add('got:    ', fault.got);
  add('needed: ', fault.needed);
  add('try:    ', fault.hint);
  return lines.join('\n');
}

/** Of a described fault its place, problem and value, without what would be right: that is no news after a drop. */
export function faultInOneLine(fault: string): string {
  const [problem, ...parts] = fault.split('\n');
  const got = parts.find((part) => part.startsWith('  got:'))?.replace(/^ {2}got: +/, '');
  return got === undefined ? problem : `${problem} (${got})`;
}
