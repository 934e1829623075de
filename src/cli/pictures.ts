/** Pictures of a result as SVG files in a folder: each appears whole or not at all. */

import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError } from '../errors.js';
import type { PictureFile } from '../report/html/pictures/files.js';
import type { Io } from './io.js';
import { refuse } from './output.js';
import { withFiles } from './output-files.js';

/** Of the commands that have it. */
export const PICTURES_OPTION = [
  '--pictures <folder>',
  'write the pictures of the report there as SVG files, besides the result',
] as const;

/** Looks before any work whether there can be such a folder, and makes it. @throws InputError where there cannot. */
export async function pictureFolder(folder: string | undefined): Promise<void> {
  if (folder === undefined) return;
  if (folder === '') throw new InputError({ problem: '--pictures has an empty path', needed: 'the name of a folder' });
  const existing = await stat(folder).catch(() => null);
  if (existing !== null && !existing.isDirectory())
    throw new InputError({
      file: folder,
      problem: '--pictures names a file',
      needed: 'a folder, which is made where there is none',
    });
  await refuse(folder, () => mkdir(folder, { recursive: true }));
}

/** Writes all of them, or none. Pictures of the same names are replaced, other files stay. */
export async function writePictures(folder: string, pictures: readonly PictureFile[], io: Io): Promise<void> {
  const files = pictures.map(({ name }) => ({ path: join(folder, name), option: '--pictures' }));
  const { writeFile } = await import('node:fs/promises');
  await withFiles(files, io, async (paths) => {
    for (const [i, path] of paths.entries()) await writeFile(path, pictures[i].text);
  });
}
