/** Tables of a packed log that are no Parquet columns: written and read in parts, so that no second copy is in memory. */

import { promisify } from 'node:util';
import { crc32, deflate, inflate } from 'node:zlib';
import type { FileSink } from '../files/file-sink.js';
import type { Section } from './header.js';
import { damaged } from './header.js';
import type { PackedFile } from './packed-file.js';

/** Length of a part before it is deflated; the last may be shorter. */
const PART_BYTES = 1 << 22;

const deflated = promisify<Uint8Array, { level: number }, Buffer>(deflate);
const inflated = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(inflate);

/** Arrays of numbers that a table can hold; little-endian, as all machines are that run Node. */
export type Numbers = Uint32Array | Float32Array | Float64Array;

/** Writes the bytes of a table. */
export async function writeSection(sink: FileSink, bytes: Uint8Array): Promise<Section> {
  const section: Section = { offset: sink.offset, bytes: bytes.length, parts: [] };
  for (let from = 0; from < bytes.length; from += PART_BYTES) {
    // zlib takes no shared memory, which columns live on.
    const part = Uint8Array.from(bytes.subarray(from, from + PART_BYTES));
    const small = await deflated(part, { level: 1 });
    // What hardly shrinks is read faster as it is.
    const stored = small.length < 0.9 * part.length ? small : part;
    section.parts.push([stored.length, crc32(stored)]);
    sink.appendBytes(stored);
    await sink.flush();
  }
  return section;
}

export function writeNumbers(sink: FileSink, numbers: Numbers): Promise<Section> {
  return writeSection(sink, new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
}

/** Texts as JSON, which keeps any JavaScript string, lone surrogates included. */
export function writeTexts(sink: FileSink, texts: readonly string[]): Promise<Section> {
  return writeSection(sink, Buffer.from(JSON.stringify(texts)));
}

/** Reads a table into `target`, whose length is checked to be the table's. @throws InputError where it is damaged. */
export async function readSection(file: PackedFile, section: Section, target: Uint8Array): Promise<void> {
  if (section.bytes !== target.length || section.parts.length !== Math.ceil(section.bytes / PART_BYTES)) {
    throw damaged(file.name, `a table has ${section.bytes} bytes in place of ${target.length}`);
  }
  let { offset } = section;
  for (const [i, [stored, check]] of section.parts.entries()) {
    const place = target.subarray(i * PART_BYTES, (i + 1) * PART_BYTES);
    const bytes = await file.bytes(offset, stored);
    if (crc32(bytes) !== check) throw damaged(file.name, `bytes ${offset} to ${offset + stored} have changed`);
    place.set(stored === place.length ? bytes : await unpacked(file, bytes, place.length));
    offset += stored;
  }
}

async function unpacked(file: PackedFile, bytes: Uint8Array, length: number): Promise<Uint8Array> {
  const part = await inflated(bytes, { maxOutputLength: length }).catch((cause: unknown) => {
    throw damaged(file.name, 'a table cannot be unpacked', cause);
  });
  if (part.length !== length) throw damaged(file.name, `a part of a table has ${part.length} bytes, not ${length}`);
  return part;
}

/** Fills an array from a table. */
export function readNumbers(file: PackedFile, section: Section, numbers: Numbers): Promise<void> {
  return readSection(file, section, new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
}

/** `count` texts. */
export async function readTexts(file: PackedFile, section: Section, count: number): Promise<string[]> {
  const bytes = Buffer.alloc(section.bytes);
  await readSection(file, section, bytes);
  let texts: unknown;
  try {
    texts = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw damaged(file.name, 'a list of names is not JSON', cause);
  }
  const isList = Array.isArray(texts) && texts.length === count && texts.every((text) => typeof text === 'string');
  if (!isList) throw damaged(file.name, `a list of names does not have ${count} texts`);
  return texts as string[];
}
