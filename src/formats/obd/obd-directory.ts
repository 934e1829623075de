/**
 * Directories of the Open Bandit Dataset: one campaign under one behaviour policy, as its log (`men.csv`) beside the
 * description of every item that could be shown (`item_context.csv`).
 */

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError } from '../../errors.js';
import { readHead } from '../../files/files.js';
import { listNames } from '../../names/order.js';

/** The files of a directory. */
export interface ObdDirectory {
  readonly log: string;
  /** `item_context.csv` */
  readonly items: string;
}

const CSV = /^[^.].*\.csv(\.gz|\.zst)?$/i;
const ITEMS = /^item_context\.csv(\.gz|\.zst)?$/i;

/**
 * The files of the directory that `paths` names, where it is one of the Open Bandit Dataset by its content. `null`: the
 * paths are those of files, or have a format or a mapping of their own.
 *
 * @throws InputError where the directory was said to be one (`format` is `obd`) and is not, and where it is unclear
 *   which file is what.
 */
export async function obdDirectory(
  paths: readonly string[],
  { format, mapping }: { readonly format?: string; readonly mapping?: unknown },
): Promise<ObdDirectory | null> {
  if (mapping !== undefined || (format !== undefined && format !== 'obd')) return null;
  const directories: string[] = [];
  for (const path of paths) if (await isDirectory(path)) directories.push(path);
  const [directory] = directories;
  if (directory === undefined) return null;
  const found = await findFiles(directory, format === 'obd');
  if (found === null || paths.length === 1) return found;
  throw new InputError({
    file: directory,
    problem: 'a directory of the Open Bandit Dataset is a log of its own',
    got: `files and directories, ${paths.length} in all`,
    needed: 'one directory',
    hint: 'one run for each: an item id names another item in another campaign',
  });
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // Whoever opens it says what is wrong.
    return false;
  }
}

async function findFiles(directory: string, told: boolean): Promise<ObdDirectory | null> {
  const names = (await readdir(directory)).filter((name) => CSV.test(name)).sort();
  const items = names.filter((name) => ITEMS.test(name));
  const logs: string[] = [];
  for (const name of names) if (!ITEMS.test(name) && (await isLog(join(directory, name)))) logs.push(name);
  if (items.length === 0 || logs.length === 0) {
    if (!told) return null;
    throw new InputError({
      file: directory,
      problem: 'not a directory of the Open Bandit Dataset',
      got: names.length === 0 ? 'no CSV file in it' : listNames(names),
      needed: 'a log with the columns item_id and click, e.g. men.csv, beside item_context.csv',
    });
  }
  for (const [what, candidates] of [
    ['the log', logs],
    ['the description of the items', items],
  ] as const) {
    if (candidates.length === 1) continue;
    throw new InputError({
      file: directory,
      problem: `it is unclear which file is ${what}`,
      got: listNames(candidates),
      needed: 'one of them',
      hint: 'a directory for each, or name the log itself with --log-format obd, without arm features',
    });
  }
  return { log: join(directory, logs[0]), items: join(directory, items[0]) };
}

/** By its header. */
async function isLog(file: string): Promise<boolean> {
  const { bytes } = await readHead(file);
  const names = bytes.toString('latin1').split(/\r?\n/, 1)[0].split(',');
  return names.includes('item_id') && names.includes('click');
}
