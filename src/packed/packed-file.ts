/** A packed log as a file: its footer and header, checked, and its bytes. */

import { type FileHandle, open } from 'node:fs/promises';
import { type FileMetaData, parquetMetadata } from 'hyparquet';
import { InputError } from '../errors.js';
import { fileError } from '../files/files.js';
import type { LogSource } from '../log/event-log.js';
import type { InputFile } from '../log/inputs.js';
import { asCalled } from '../printable.js';
import { footerCheck } from './footer.js';
import { CHECK_KEY, checkVersion, damaged, HEADER_KEY, type PackedHeader, parseHeader } from './header.js';

/** Footer length and magic, at the end of every Parquet file. */
const TAIL_BYTES = 8;
const MAGIC = 'PAR1';

export class PackedFile {
  private constructor(
    /** As the caller named it. */
    readonly name: string,
    private readonly handle: FileHandle,
    readonly size: number,
    readonly footer: FileMetaData,
    readonly header: PackedHeader,
    /** Checksum of the header, which has those of all that the file holds. */
    readonly check: string,
  ) {}

  /** @throws InputError where the file is missing, no packed log, one of a newer version, or damaged. */
  static async open(name: string): Promise<PackedFile> {
    let handle: FileHandle;
    try {
      handle = await open(name, 'r');
    } catch (error) {
      throw fileError(name, error);
    }
    try {
      const { size } = await handle.stat();
      const footer = await readFooter(name, handle, size);
      const { header, check } = checkedHeader(name, footer);
      return new PackedFile(name, handle, size, footer, header, check);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** What tells the file, by its content, from every other. */
  get identity(): readonly string[] {
    return [`${this.header.events} ${this.check}`];
  }

  /** The file as results name it. */
  get input(): InputFile {
    const { inputs: from } = this.header.source as LogSource;
    const file = { path: asCalled(this.name), bytes: this.size, hash: `crc32:${this.check}` };
    return { role: 'log', ...file, ...(from === undefined ? {} : { from }) };
  }

  /** Bytes [offset, offset + length), in a buffer of their own. @throws InputError where the file does not have them. */
  bytes(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    return readBytes(this.name, this.handle, offset, length, this.size);
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

async function readBytes(
  name: string,
  handle: FileHandle,
  offset: number,
  length: number,
  size: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (!(offset >= 0 && length >= 0 && offset + length <= size)) {
    throw damaged(name, `its parts reach to byte ${offset + length}, the file has ${size}`);
  }
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await handle.read(bytes, at, length - at, offset + at).catch((error: unknown) => {
      throw fileError(name, error);
    });
    if (bytesRead === 0) throw damaged(name, `it has become shorter than ${offset + at} bytes`);
    at += bytesRead;
  }
  return bytes;
}

async function readFooter(name: string, handle: FileHandle, size: number): Promise<FileMetaData> {
  const cut = () =>
    new InputError({
      file: name,
      problem: 'the Parquet file ends too early',
      got: `${size} bytes, without the footer`,
      needed: 'a complete Parquet file',
      hint: 'copy or download it again, or convert the original log again',
    });
  if (size < MAGIC.length + TAIL_BYTES) throw cut();
  const tail = Buffer.from(await readBytes(name, handle, size - TAIL_BYTES, TAIL_BYTES, size));
  if (tail.toString('latin1', 4) !== MAGIC) throw cut();
  const length = tail.readUInt32LE(0) + TAIL_BYTES;
  if (length > size) throw damaged(name, `a footer of ${length} bytes in a file of ${size}`);
  const bytes = await readBytes(name, handle, size - length, length, size);
  try {
    return parquetMetadata(bytes.buffer, { geoparquet: false });
  } catch (cause) {
    throw damaged(name, `its footer cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}

function checkedHeader(name: string, footer: FileMetaData): { header: PackedHeader; check: string } {
  const entry = (key: string) => footer.key_value_metadata?.find((one) => one.key === key)?.value;
  const text = entry(HEADER_KEY);
  if (text === undefined) {
    throw new InputError({
      file: name,
      problem: 'the Parquet file is no packed log',
      got: footer.created_by === undefined ? undefined : `a file written by ${footer.created_by}`,
      needed: `a file written by hindcast convert, with ${HEADER_KEY} in its metadata`,
      hint: 'read it with a mapping: --arm COLUMN --payoff COLUMN, or --mapping FILE',
    });
  }
  checkVersion(text, name);
  const check = footerCheck(text, footer);
  if (check !== entry(CHECK_KEY)) throw damaged(name, 'its header or its footer has changed');
  return { header: parseHeader(text, name), check };
}
