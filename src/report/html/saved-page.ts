/** Pages and pictures of a saved result, whichever command it is of. */

import { readResult } from '../saved/read-result.js';
import { evaluationReport, replayReport } from './model.js';
import { pageOf } from './page.js';
import { type PictureFile, pictureFiles } from './pictures/files.js';

/** What a report consists of. */
export interface SavedReport {
  readonly page: string;
  readonly pictures: readonly PictureFile[];
}

/** @throws InputError where the text is no result. */
export async function savedReport(text: string, file: string): Promise<SavedReport> {
  const saved = readResult(text, file);
  const report = saved.kind === 'replay' ? replayReport(saved.result) : evaluationReport(saved.result);
  return { page: await pageOf(report), pictures: pictureFiles(report) };
}
