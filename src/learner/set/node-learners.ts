/** Learner files on disk, for Node. */

import type { SpecFiles } from '../../policy/family.js';
import { loadSpecText } from '../../policy/node-files.js';
import { type LearnerSet, parseLearnerSetText } from './learner-set.js';

/**
 * Reads and validates a learner set file (JSON); files that it names are relative to it.
 *
 * @returns The set, and what `prepareLearners` needs to read its files.
 * @throws InputError
 */
export async function loadLearnerSet(path: string): Promise<{ set: LearnerSet; files: SpecFiles }> {
  const { text, files } = await loadSpecText(path, 'learners');
  return { set: parseLearnerSetText(text, { file: path }), files };
}
