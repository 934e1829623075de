/** Text that is not UTF-8: decoded where its encoding is named, and told where it is not. */

import { isUtf8 } from 'node:buffer';
import { type Fault, InputError } from '../errors.js';
import type { FileDigest } from './digest.js';
import { type Packing, unpacked } from './unpacked.js';

/** Names that the option takes. */
export const ENCODINGS = ['utf-8', 'utf-16', 'utf-16le', 'utf-16be', 'latin1', 'windows-1252'] as const;

export type Encoding = (typeof ENCODINGS)[number];

/** What to do about text that is not UTF-8. */
export const ENCODING_HINT =
  '--encoding windows-1252 (or latin1, which differs in 0x80 to 0x9F) if that is how it reads';

/** What Windows-1252 has in the place of the control characters 0x80 to 0x9F of Latin-1 (WHATWG Encoding Standard). */
const WINDOWS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

function windowsText(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[\x80-\x9f]/g, (control) => WINDOWS[control.charCodeAt(0) - 0x80]);
}

/** Pieces of a text as UTF-8, without a byte order mark. */
export class Decoder {
  private decoder: TextDecoder | null = null;

  constructor(
    private readonly file: string,
    private readonly encoding: Encoding,
  ) {}

  /** @param last no more comes. @throws InputError for bytes that are no text in this encoding. */
  push(bytes: Buffer, last = false): Buffer {
    const { encoding } = this;
    if (encoding === 'latin1') return Buffer.from(bytes.toString('latin1'));
    if (encoding === 'windows-1252') return Buffer.from(windowsText(bytes));
    this.decoder ??= new TextDecoder(encoding === 'utf-16' ? this.order(bytes) : encoding, { fatal: true });
    try {
      return Buffer.from(this.decoder.decode(bytes, { stream: !last }));
    } catch (cause) {
      const fault = { problem: `the text is not ${encoding}`, needed: 'the encoding that --encoding names' };
      throw new InputError({ file: this.file, ...fault, hint: 'another --encoding, or none for UTF-8' }, { cause });
    }
  }

  private order(bytes: Buffer): string {
    const mark = markOf(bytes);
    if (mark !== null) return mark;
    throw new InputError({
      file: this.file,
      problem: 'nothing says in which order the bytes of UTF-16 are',
      got: 'no byte order mark',
      needed: 'FF FE or FE FF as the first bytes',
      hint: '--encoding utf-16le (as Windows writes it) or utf-16be',
    });
  }
}

function markOf(bytes: Buffer): 'utf-16le' | 'utf-16be' | null {
  const mark = bytes.subarray(0, 2).toString('latin1');
  return mark === '\xff\xfe' ? 'utf-16le' : mark === '\xfe\xff' ? 'utf-16be' : null;
}

/** The beginning of a file as UTF-8. */
export function decodedHead<Head extends { readonly bytes: Buffer }>(
  file: string,
  head: Head,
  encoding: Encoding,
): Head {
  // An odd byte at the end waits for what is left out.
  return { ...head, bytes: new Decoder(file, encoding).push(head.bytes) };
}

/** @throws InputError for a file that begins as text in UTF-16 does. */
export function checkText(file: string, { bytes }: { readonly bytes: Buffer }): void {
  const mark = markOf(bytes);
  if (mark !== null)
    throw new InputError({ file, problem: 'the file is UTF-16', needed: 'UTF-8', hint: '--encoding utf-16' });
  // Every other byte of western text in UTF-16 is zero.
  const sides = [0, 1].map((side) => bytes.subarray(0, 64).filter((byte, i) => i % 2 === side && byte === 0).length);
  if (Math.max(...sides) <= 8 || Math.min(...sides) > 0) return;
  throw new InputError({
    file,
    problem: 'the file is not text',
    got: 'a zero in every other byte',
    needed: 'text in UTF-8',
    hint: `if it is UTF-16: --encoding utf-16${sides[0] > 0 ? 'be' : 'le'}`,
  });
}

/** The bytes of a file, unpacked and as UTF-8. @param digest takes those of the file as it is on disk. */
export async function* textOf(
  file: string,
  packing: Packing,
  encoding: Encoding = 'utf-8',
  digest?: FileDigest,
): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') {
    yield* unpacked(file, packing, undefined, digest);
    return;
  }
  const decoder = new Decoder(file, encoding);
  for await (const part of unpacked(file, packing, undefined, digest)) yield decoder.push(part);
  yield decoder.push(Buffer.alloc(0), true);
}

/** What to say of the first byte of a line that is not UTF-8. */
export function badByte(bytes: Buffer): Required<Pick<Fault, 'got' | 'needed' | 'hint'>> {
  let low = 0;
  // A prefix that ends within a character is valid so far; where that does not go on, its first byte is at fault.
  for (let high = bytes.length; low < high; ) {
    const middle = (low + high + 1) >>> 1;
    if (isPrefix(bytes.subarray(0, middle))) low = middle;
    else high = middle - 1;
  }
  while (!isUtf8(bytes.subarray(0, low))) low--;
  const byte = bytes[low];
  const around = windowsText(bytes.subarray(Math.max(0, low - 12), low + 13));
  return {
    got: `byte 0x${byte.toString(16).toUpperCase()} at place ${low + 1} of the line; in Windows-1252 it reads ${JSON.stringify(around)}`,
    needed: 'text in UTF-8',
    hint: ENCODING_HINT,
  };
}

function isPrefix(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
