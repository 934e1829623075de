/** VowpalWabbit text of contextual bandits: `--cb` (an event per line) and `--cb_adf` (a line per action). */

import { InputError } from '../../errors.js';
import { DECISION_OPTIONS } from '../decisions/options.js';
import { readDecisions } from '../decisions/read.js';
import type { EventFormat, HeadedFile } from '../format.js';
import { multiLineParser } from './multi.js';
import { singleLineParser } from './single.js';
import { type VwKind, vwKind } from './sniff.js';

const PARSERS = { cb: singleLineParser, adf: multiLineParser };

/** Either kind, told by the content. */
export const vw: EventFormat<'vw'> = {
  isText: true,
  name: 'vw',
  extensions: ['.vw', '.ldf'],
  takes: DECISION_OPTIONS,
  sniff: (head) => vwKind(head) !== null,
  read: async (files, options, sink) => {
    const kind = kindOf(files);
    return readDecisions(`vw-${kind}`, files, options, sink, PARSERS[kind]);
  },
};

/** The kinds by name, for files whose beginning does not tell. */
export const vwCb = named('cb');
export const vwAdf = named('adf');

function named<Kind extends VwKind>(kind: Kind): EventFormat<`vw-${Kind}`> {
  return {
    name: `vw-${kind}`,
    isText: true,
    extensions: [],
    takes: DECISION_OPTIONS,
    sniff: () => false,
    read: (files, options, sink) => readDecisions(`vw-${kind}`, files, options, sink, PARSERS[kind]),
  };
}

/** The kind of all files: of those that are sure, else of the others. @throws InputError where they differ. */
function kindOf(files: readonly HeadedFile[]): VwKind {
  const sniffed = files.map(({ head }) => vwKind(head));
  const anySure = sniffed.some((one) => one?.sure === true);
  const kinds = sniffed.map((one) => (one !== null && one.sure === anySure ? one.kind : null));
  const [kind, other] = new Set(kinds.filter((one) => one !== null));
  if (other !== undefined) {
    throw new InputError({
      file: files[kinds.indexOf(other)].file,
      problem: 'the files of one log differ in kind',
      got: `${describe(other)}, and ${describe(kind)} in another file`,
      needed: 'files of one kind',
      hint: HINT,
    });
  }
  if (kind !== undefined) return kind;
  // A file without a single line may still be read, to say so.
  if (files.every(({ head }) => head.bytes.toString('utf8').trim() === '')) return 'cb';
  throw new InputError({
    file: files[0].file,
    problem: 'the beginning of the file does not tell whether every line, or every block of lines, is an event',
    got: 'no label action:cost:probability and no shared features',
    needed: 'VowpalWabbit text for --cb or --cb_adf',
    hint: HINT,
  });
}

const HINT = 'name the kind: --log-format vw-cb or --log-format vw-adf';

function describe(kind: VwKind): string {
  return kind === 'cb' ? 'an event per line' : 'a line per action';
}
