/**
 * Whether a process that left something behind still lives. It listens on a socket in the file system, beside what it has in
 * work: the kernel refuses connections from the moment the process is gone, however it went. Process numbers would not do: in
 * a container every restart has the same one.
 */

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { forget, removeOnExit } from './exit.js';

/** A socket that says that this process lives. */
export interface Presence {
  /** Stops listening, and removes the socket. */
  release(): Promise<void>;
}

/** What a look at a socket tells: its process lives (its number, where it answers), is gone, or cannot be told. */
export type Look =
  | { readonly state: 'held'; readonly pid: string | null }
  | { readonly state: 'gone' | 'none' | 'unknown' };

/** Longest path of a socket in bytes: `sun_path` has 104 on macOS, with a zero at the end. */
const LONGEST = 103;
/** A busy process answers late, or not at all; that it lives is known without an answer. */
const ANSWER_MS = 500;

/** Something is at the place already. */
export class Occupied extends Error {
  override readonly name = 'Occupied';
}

/**
 * Listens at a path, whose folder exists.
 *
 * @returns `null` where the file system has no sockets.
 * @throws Occupied where there is something at the path.
 */
export async function showPresence(path: string): Promise<Presence | null> {
  const at = await address(path);
  if (at === null) return null;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(String(process.pid));
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ path: at.name, exclusive: true }, resolve);
    });
  } catch (error) {
    await at.folder?.close();
    if (codeOf(error) === 'EADDRINUSE') throw new Occupied(path);
    return null;
  }
  server.on('error', () => undefined);
  server.unref();
  removeOnExit(path);
  return {
    async release() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await unlink(path).catch(() => undefined);
      await at.folder?.close();
      forget(path);
    },
  };
}

/** Looks whether the process that listens at a path lives. */
export async function presenceAt(path: string): Promise<Look> {
  const status = await lstat(path).catch(() => null);
  if (status === null) return { state: 'none' };
  // A connection to anything else is refused too.
  if (!status.isSocket()) return { state: 'unknown' };
  const at = await address(path);
  if (at === null) return { state: 'unknown' };
  try {
    return await new Promise<Look>((resolve) => {
      const socket = connect(at.name);
      let pid = '';
      const held = (): void => resolve({ state: 'held', pid: /^\d+$/.test(pid) ? pid : null });
      socket.on('data', (text) => {
        pid += String(text);
      });
      socket.on('connect', () => {
        setTimeout(() => socket.destroy(), ANSWER_MS).unref();
      });
      socket.on('close', (failed) => {
        if (!failed) held();
      });
      socket.on('error', (error) => {
        const code = codeOf(error);
        if (code === 'ECONNREFUSED') resolve({ state: 'gone' });
        else if (code === 'ENOENT') resolve({ state: 'none' });
        else if (code === 'EAGAIN' || code === 'ECONNRESET') held();
        else resolve({ state: 'unknown' });
      });
    });
  } finally {
    await at.folder?.close();
  }
}

/**
 * Takes a lock that lives as long as the process: a socket of a process that is gone is taken over.
 *
 * @returns the lock (`null` where the file system has none), or who has it.
 */
export async function takeLock(path: string): Promise<{ lock: Presence | null } | { heldBy: string | null }> {
  for (let tries = 0; tries < 10; tries++) {
    try {
      return { lock: await showPresence(path) };
    } catch (error) {
      if (!(error instanceof Occupied)) throw error;
    }
    const look = await presenceAt(path);
    if (look.state === 'none') continue;
    if (look.state !== 'gone') return { heldBy: look.state === 'held' ? look.pid : null };
    // Another process may take it over at this moment: only what was moved aside is removed, and only if it is dead.
    const aside = `${path}.${randomBytes(8).toString('hex')}`;
    const moved = await rename(path, aside).then(
      () => true,
      () => false,
    );
    if (!moved) continue;
    const again = await presenceAt(aside);
    if (again.state === 'held') await link(aside, path).catch(() => undefined);
    await unlink(aside).catch(() => undefined);
    if (again.state === 'held') return { heldBy: again.pid };
  }
  return { heldBy: null };
}

/** A path as sockets take it, by way of the open folder where it is too long; `null` where that is not possible. */
async function address(path: string): Promise<{ name: string; folder: FileHandle | null } | null> {
  if (process.platform === 'win32') return null;
  if (Buffer.byteLength(path) <= LONGEST) return { name: path, folder: null };
  if (process.platform !== 'linux') return null;
  const folder = await open(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY).catch(() => null);
  if (folder === null) return null;
  const name = join(`/proc/self/fd/${folder.fd}`, basename(path));
  if (Buffer.byteLength(name) <= LONGEST) return { name, folder };
  await folder.close();
  return null;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
