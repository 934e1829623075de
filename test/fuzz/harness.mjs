/**
 * Fuzzing of readers. Every mutated input must end in an event log that holds together, or in an InputError that says
 * where; never in another exception, a hang, or memory without bound.
 *
 * A target (targets.mjs) is:
 *
 *     {
 *       name,                        // for the command line and the folder of cases
 *       seeds: Buffer[],             // small sound and odd logs
 *       separators: ' \t\n:|',       // what ends a token
 *       mutate?(random),             // → an input; default: text of the seeds mutated by tokens (mutate.mjs)
 *       variants: object[],          // reading options, tried one after the other on each input; or a function of its bytes
 *       testInputs,                  // how many fuzz.test.ts tries; default 1500
 *       read(bytes, options),        // → EventLog or a promise of one; no file system, so that it is fast
 *       check?(log, bytes, options), // what else must hold of a log, e.g. that no line was lost
 *       checkError?(error, bytes, options),
 *       mayLackLine?(fault),         // faults of a whole file have no line; default: none has none
 *       batch?, tryBatch?(list, at), // for readers that are slow to start: so many inputs at once → per input its ends or an Error
 *     }
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { InputError } from '../../dist/errors.js';
import { checkLog } from './check-log.mjs';
import { mutated } from './mutate.mjs';
import { Random } from './random.mjs';

const CASES = fileURLToPath(new URL('./cases', import.meta.url));

/** Input number `input` of a seed: the same bytes whenever it is made. */
export function inputOf(target, seed, input) {
  if (target.mutate !== undefined) return target.mutate(new Random(seed, input));
  const separators = new Set(Buffer.from(target.separators ?? ' \t\n'));
  return mutated(target.seeds, new Random(seed, input), separators);
}

/**
 * Reads one input in every variant.
 *
 * @returns how often it ended in a log and in an error
 * @throws Error where it ended in anything else
 */
export async function tryInput(target, bytes) {
  const ends = { logs: 0, errors: 0, events: 0 };
  const { variants = [{}, { skipBadRows: true }] } = target;
  for (const options of typeof variants === 'function' ? variants(bytes) : variants) {
    let log;
    try {
      log = await target.read(bytes, options);
    } catch (error) {
      checkError(target, error);
      target.checkError?.(error, bytes, options);
      ends.errors++;
      continue;
    }
    checkLog(log);
    target.check?.(log, bytes, options);
    ends.logs++;
    ends.events += log.events;
  }
  return ends;
}

/** What came of it: an error is a value as well. */
export function settled(attempt) {
  return attempt.catch((error) => error);
}

function checkError(target, error) {
  if (!(error instanceof InputError)) {
    throw new Error(`not an InputError: ${error instanceof Error ? error.stack : String(error)}`, { cause: error });
  }
  const { file, line, row, problem } = error.fault;
  if (file === undefined) throw new Error(`an error without a file: ${error.message}`);
  if (line === undefined && row === undefined && target.mayLackLine?.(error.fault) !== true)
    throw new Error(`an error without a line: ${error.message}`);
  if (problem === '' || error.message.length > 4000)
    throw new Error(`no readable message: ${error.message.slice(0, 200)}`);
}

/**
 * Reads inputs [first, first + inputs).
 *
 * @param options.limitMs longest time for one input (checked when it is over; run.mjs also ends what never is)
 * @param options.keep write failing inputs under cases/, so that they are tried for ever after
 * @param options.onInput called before each input with its number
 */
export async function fuzzReader(
  target,
  { inputs, seed = 1, first = 0, limitMs = 5000, keep = true, onInput = () => {} },
) {
  const total = { inputs, logs: 0, errors: 0, events: 0, slowestMs: 0, slowest: -1, failures: [] };
  const { batch = 1, tryBatch = ([bytes]) => Promise.all([settled(tryInput(target, bytes))]) } = target;
  for (let input = first; input < first + inputs; input += batch) {
    onInput(input);
    const count = Math.min(batch, first + inputs - input);
    const list = Array.from({ length: count }, (_, i) => inputOf(target, seed, input + i));
    const [bytes] = list;
    const started = performance.now();
    for (const [i, ends] of (await tryBatch.call(target, list, input)).entries()) {
      if (ends instanceof Error) {
        const file = keep ? keepCase(target, seed, input + i, list[i]) : null;
        total.failures.push({ input: input + i, message: ends.message, file });
        continue;
      }
      total.logs += ends.logs;
      total.errors += ends.errors;
      total.events += ends.events;
    }
    const ms = performance.now() - started;
    if (ms > total.slowestMs) [total.slowestMs, total.slowest] = [ms, input];
    if (ms > limitMs) {
      const file = keep ? keepCase(target, seed, input, bytes) : null;
      total.failures.push({ input, message: `took ${Math.round(ms)} ms`, file });
    }
    // A reader that never waits would never let messages through.
    if (batch > 1 || input % 256 === 255) await new Promise((resolve) => setImmediate(resolve));
  }
  return total;
}

/** Keeps a failing input, unless it is too large for a repository. */
export function keepCase({ name }, seed, input, bytes) {
  if (bytes.length > 2 ** 16) return null;
  const folder = `${CASES}/${name}`;
  mkdirSync(folder, { recursive: true });
  const file = `${folder}/${seed}-${input}.bin`;
  writeFileSync(file, bytes);
  return file;
}

/** Inputs that once failed. */
export function keptCases({ name }) {
  const folder = `${CASES}/${name}`;
  try {
    return readdirSync(folder)
      .sort()
      .map((file) => ({ file, bytes: readFileSync(`${folder}/${file}`) }));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
