/** No row is lost between a file and its reading. */

import { InputError } from '../../../errors.js';
import { plural } from '../../../words.js';
import type { SourceFile } from '../../format.js';

/** @throws InputError where a reading would leave out rows without a word. */
export function checkRecords({ file, records }: SourceFile, found: number): void {
  if (records === undefined || records === found) return;
  throw new InputError({
    file,
    problem: 'rows would be lost, or made',
    got: `${plural(found, 'row')}, where the file has ${records.toLocaleString('en')} records`,
    needed: 'a row for every record',
    hint: 'look for quotes within fields: they are to be doubled, and the field to be in quotes',
  });
}
