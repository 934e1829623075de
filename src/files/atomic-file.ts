/** Files that appear whole or not at all: written beside their place under a random name, flushed to disk, and renamed. */

import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { forget, removeOnExit } from './exit.js';
import { type Presence, presenceAt, showPresence } from './presence.js';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants;

const DAY_MS = 86_400_000;
/** Longest part of a name that is kept: with what is added it stays below 255 bytes. */
const LONGEST = 100;

/** Temporary files by name: of files, and the sockets that say that whoever writes them lives. */
const TEMPORARY = /^\..+\.[0-9a-f]{16}\.tmp$/;
const SOCKET = /^(\..+\.[0-9a-f]{16})\.here$/;

export class AtomicFile {
  private done = false;

  private constructor(
    /** The place of the file, links resolved. */
    readonly target: string,
    /** Where it is written: a file that may be opened again by this name, or replaced. */
    readonly temporary: string,
    /** Open for reading and writing. */
    readonly handle: FileHandle,
    private readonly mode: number,
    private readonly presence: Presence | null,
  ) {}

  /**
   * Creates an empty temporary file, and removes what writers that are gone have left in the folder.
   *
   * @param target place of the file, links resolved.
   * @param mode permissions, of which the process's mask is taken away.
   * @param locked the place is locked against other writers, by whom its files are swept: no look at them is needed.
   * @throws the file system's error.
   */
  static async create(target: string, mode = 0o666, locked = false): Promise<AtomicFile> {
    const folder = dirname(target);
    const stem = join(folder, `.${labelOf(target)}.${randomBytes(8).toString('hex')}`);
    if (!locked) await sweep(folder, labelOf(target));
    const presence = locked ? null : await showPresence(`${stem}.here`);
    const temporary = `${stem}.tmp`;
    try {
      const handle = await open(temporary, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR, mode);
      removeOnExit(temporary);
      return new AtomicFile(target, temporary, handle, (await handle.stat()).mode & 0o777, presence);
    } catch (error) {
      await presence?.release();
      throw error;
    }
  }

  /** Flushes what is there under the temporary name to disk. @throws the file system's error. */
  async flush(): Promise<void> {
    await this.handle.close();
    // What wrote the file may have replaced it by another, with permissions of its own.
    const file = await open(this.temporary, O_RDWR | O_NOFOLLOW);
    try {
      await file.chmod(this.mode);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Gives the flushed file its name. @throws the file system's error. */
  async rename(): Promise<void> {
    await rename(this.temporary, this.target);
    await this.end();
    await syncFolder(dirname(this.target));
  }

  /** Removes what was not renamed. */
  async discard(): Promise<void> {
    if (this.done) return;
    await this.handle.close().catch(() => undefined);
    await unlink(this.temporary).catch(() => undefined);
    await this.end();
  }

  private async end(): Promise<void> {
    this.done = true;
    forget(this.temporary);
    await this.presence?.release();
  }
}

/** The name of a file, cut where it is long, so that names made of it are not too long. */
export function labelOf(path: string): string {
  const name = Buffer.from(basename(path));
  if (name.length <= LONGEST) return basename(path);
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 16);
  return `${[...basename(path)].slice(0, 20).join('')}-${digest}`;
}

/**
 * Removes what processes that are gone have left in a folder. Whatever goes wrong, nothing is said: it is no part of the work.
 *
 * @param label of the file that is written next: its temporary files without a socket go when they are a day old.
 * @param atOnce they go at once: nobody else writes the file.
 */
export async function sweep(folder: string, label: string, atOnce = false): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const sockets = new Set<string>();
  for (const name of names) {
    const stem = SOCKET.exec(name)?.[1];
    if (stem === undefined) continue;
    sockets.add(stem);
    const socket = join(folder, name);
    if (!(await isOwn(socket, 'socket')) || (await presenceAt(socket)).state !== 'gone') continue;
    const file = join(folder, `${stem}.tmp`);
    if (await isOwn(file, 'file')) await unlink(file).catch(() => undefined);
    await unlink(socket).catch(() => undefined);
  }
  for (const name of names) {
    if (!TEMPORARY.test(name) || !name.startsWith(`.${label}.`) || name.length !== label.length + 22) continue;
    const file = join(folder, name);
    if (sockets.has(name.slice(0, -4)) || !(await isOwn(file, 'file', atOnce ? 0 : DAY_MS))) continue;
    await unlink(file).catch(() => undefined);
  }
}

/** Whether a path is what it should be, this user's, and not touched for a while. */
export async function isOwn(path: string, kind: 'file' | 'socket' | 'folder', age = 0): Promise<boolean> {
  const status = await lstat(path).catch(() => null);
  if (status === null || status.uid !== process.getuid?.() || Date.now() - status.mtimeMs < age) return false;
  return kind === 'file' ? status.isFile() : kind === 'socket' ? status.isSocket() : status.isDirectory();
}

/** A new name is on the disk when its folder is. Not every file system flushes folders. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => null);
  if (folder === null) return;
  await folder.sync().catch(() => undefined);
  await folder.close().catch(() => undefined);
}
