/**
 * Whether a process that left something behind still lives. It listens on a socket in the file system, beside what it has in
 * work: the kernel refuses connections from the moment the process is gone, however it went. Process numbers would not do: in
 * a container every restart has the same one.
 */

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, unlink } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { forget, removeOnExit } from './exit.js';

/** A socket that says that this process lives. */
export interface Presence {
  /** Stops listening, and removes the socket. */
  release(): Promise<void>;
}

/**
 * What a look at a socket tells: its process lives (its number, where it answers) or still asks for the lock itself, is gone, or
 * cannot be told.
 */
export type Look =
  | { readonly state: 'held'; readonly pid: string | null }
  | { readonly state: 'asking' | 'gone' | 'none' | 'unknown' };

/** Longest path of a socket in bytes: `sun_path` has 104 on macOS, with a zero at the end. */
const LONGEST = 103;
/** A busy process answers late, or not at all; that it lives is known without an answer. */
const ANSWER_MS = 500;
/** The answer of a process that asks for a lock and does not have it. */
const ASKING = '?';
/** How often a lock is asked for, where others ask for it too. */
const MOST_TRIES = 40;
/** The longest wait between two tries. */
const LONGEST_WAIT_MS = 200;

/** Something is at the place already. */
export class Occupied extends Error {
  override readonly name = 'Occupied';
}

/**
 * Listens at a path, whose folder exists.
 *
 * @param answer to whoever looks.
 * @returns `null` where the file system has no sockets.
 * @throws Occupied where there is something at the path.
 */
export async function showPresence(path: string, answer = () => String(process.pid)): Promise<Presence | null> {
  const at = await address(path);
  if (at === null) return null;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(answer());
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
      const held = (): void =>
        resolve(pid === ASKING ? { state: 'asking' } : { state: 'held', pid: /^\d+$/.test(pid) ? pid : null });
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
 * Takes a lock that lives as long as the process. Everybody who asks listens beside the path, under a name of their own, and then
 * looks at all others: only one whom nobody else lives beside has the lock. Of two who ask, the one that looks later sees the
 * other, so that never both have it. Who is gone is removed, by one who still listens; whoever was taken for gone before it
 * listened finds its own name missing at the end, and asks again.
 *
 * @returns the lock (`null` where the file system has none), or who has it.
 */
export async function takeLock(path: string): Promise<{ lock: Presence | null } | { heldBy: string | null }> {
  const silent = new Set<string>();
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const own = `${path}.${randomBytes(4).toString('hex')}`;
    let isTaken = false;
    const lock = await showPresence(own, () => (isTaken ? String(process.pid) : ASKING));
    if (lock === null) return { lock };
    const others = await lookBeside(path, own);
    if (others.length === 0 && (await lstat(own).catch(() => null)) !== null) {
      isTaken = true;
      return { lock };
    }
    await lock.release();
    for (const { name, look } of others) {
      if (look.state === 'unknown') return { heldBy: null };
      if (look.state !== 'held') continue;
      // Who asks gives its name up again; one that stays has the lock, though it does not answer.
      if (look.pid !== null || silent.has(name)) return { heldBy: look.pid };
      silent.add(name);
    }
    await sleep(Math.random() * Math.min(LONGEST_WAIT_MS, 5 * 2 ** tries));
  }
  return { heldBy: null };
}

/** Those who ask for a lock or have it, beside one's own name. Those that are gone are removed. */
async function lookBeside(path: string, own: string): Promise<{ name: string; look: Look }[]> {
  const folder = dirname(path);
  const start = `${basename(path)}.`;
  const names = (await readdir(folder)).filter(
    (name) => name.startsWith(start) && /^[0-9a-f]{8}$/.test(name.slice(start.length)),
  );
  const others: { name: string; look: Look }[] = [];
  for (const name of names) {
    if (name === basename(own)) continue;
    const at = join(folder, name);
    const look = await presenceAt(at);
    if (look.state === 'gone') await unlink(at).catch(() => undefined);
    else if (look.state !== 'none') others.push({ name, look });
  }
  return others;
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
