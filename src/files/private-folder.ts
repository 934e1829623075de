/** Folders that keep what is loaded as code: nobody but this user can have put anything there. */

import { lstat, readdir, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.js';

/**
 * A folder of this user in the system's place for temporary files, filled once and used again.
 *
 * @param name of the folder, which anybody may know.
 * @param fill writes into a folder that is new and this user's alone.
 * @returns its path; where what lies there is not this user's alone, that of a folder for this process.
 */
export async function privateFolder(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const user = process.getuid?.();
  const path = join(tmpdir(), `${name}-${user ?? 'user'}`);
  // Without users and permissions, nothing that lies there can be told from what another put there.
  if (user !== undefined && (await isPrivate(path, user))) return path;
  const folder = await temporaryFolder();
  await fill(folder.path);
  if (user === undefined || (await lstat(path).catch(() => null)) !== null) return folder.path;
  const named = await rename(folder.path, path).then(
    () => true,
    () => false,
  );
  // Another process may have been faster; the folder of this one goes with it.
  if (!named) return folder.path;
  await folder.remove();
  return path;
}

/** True for a folder, and all in it, that is no link, belongs to a user, and that nobody else can write to. */
async function isPrivate(path: string, user: number, top = true): Promise<boolean> {
  const status = await lstat(path).catch(() => null);
  if (status === null || status.uid !== user || (status.mode & 0o022) !== 0) return false;
  if (!status.isDirectory()) return !top && status.isFile() && status.nlink === 1;
  const names = await readdir(path).catch(() => null);
  if (names === null || names.length === 0) return false;
  for (const name of names) if (!(await isPrivate(join(path, name), user, false))) return false;
  return true;
}
