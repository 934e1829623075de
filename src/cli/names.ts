/** Names in tables that are too much to load before a command runs: help lists them, and nothing else of a command line needs them. */

type Table = 'formats' | 'estimators' | 'intervals' | 'sequences';

const loaded: Partial<Record<Table, readonly string[]>> = {};

/** Loads the names where a command line asks for help. */
export async function loadNames(argv: readonly string[]): Promise<void> {
  // That of the program as a whole lists no options.
  if (argv.length < 2 || !argv.some((word) => ['--help', '-h', 'help'].includes(word))) return;
  loaded.formats = (await import('../formats/index.js')).FORMAT_NAMES;
  loaded.estimators = (await import('../estimate/estimators/index.js')).ESTIMATOR_NAMES;
  loaded.intervals = (await import('../estimate/interval/choose-interval.js')).ALL_INTERVALS;
  loaded.sequences = (await import('../estimate/sequence/index.js')).SEQUENCE_NAMES;
}

/** `a, b or c`, for the text of help. */
export function namesIn(table: Table): string {
  const names = loaded[table] ?? [];
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].join(' or ');
}
