/** Folders of this process alone in the system's place for temporary files. */

import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isOwn } from './atomic-file.js';
import { forget, removeOnExit } from './exit.js';
import { presenceAt, showPresence } from './presence.js';

const SOCKET = /^(hindcast-[0-9a-f]{16})\.here$/;

export interface TemporaryFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** Makes a folder that only this user can enter, and removes those of processes that are gone. */
export async function temporaryFolder(): Promise<TemporaryFolder> {
  const place = tmpdir();
  await sweep(place);
  const path = join(place, `hindcast-${randomBytes(8).toString('hex')}`);
  // The socket first: a folder without one would stay, where a process is killed between the two.
  const presence = await showPresence(`${path}.here`);
  try {
    // Fails where there is anything of this name, a link included.
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    await presence?.release();
    throw error;
  }
  removeOnExit(path);
  return {
    path,
    async remove() {
      await rm(path, { recursive: true, force: true });
      forget(path);
      await presence?.release();
    },
  };
}

async function sweep(place: string): Promise<void> {
  for (const name of await readdir(place).catch(() => [])) {
    const folder = SOCKET.exec(name)?.[1];
    if (folder === undefined) continue;
    const socket = join(place, name);
    if (!(await isOwn(socket, 'socket')) || (await presenceAt(socket)).state !== 'gone') continue;
    const path = join(place, folder);
    if (await isOwn(path, 'folder')) await rm(path, { recursive: true, force: true }).catch(() => undefined);
    await unlink(socket).catch(() => undefined);
  }
}
