/** Text in the temporary folder, as DuckDB is to read it. */

import { type FileHandle, open } from 'node:fs/promises';
import { InputError } from '../../errors.js';

/** Bytes written at a time. */
const WRITTEN = 1 << 20;

const NEWLINE = 10;

/** The first line, to be skipped: of a record that began with a byte order mark there DuckDB would leave that out. */
const FIRST = '-';

export class TextCopy {
  private out = Buffer.allocUnsafe(1 << 16);
  private length = 0;

  private constructor(
    readonly path: string,
    private readonly file: string,
    private readonly handle: FileHandle,
  ) {}

  /** @param file that it comes from, for messages. */
  static async create(path: string, file: string): Promise<TextCopy> {
    const copy = new TextCopy(path, file, await open(path, 'wx'));
    copy.line(FIRST);
    return copy;
  }

  /** Adds a line. */
  line(text: Buffer | string): void {
    // A UTF-16 unit takes at most three bytes.
    const most = this.length + (typeof text === 'string' ? 3 * text.length : text.length) + 1;
    if (most > this.out.length) {
      const wider = Buffer.allocUnsafe(Math.max(most, 2 * this.out.length));
      wider.set(this.out.subarray(0, this.length));
      this.out = wider;
    }
    if (typeof text === 'string') this.length += this.out.write(text, this.length);
    else {
      this.out.set(text, this.length);
      this.length += text.length;
    }
    this.out[this.length++] = NEWLINE;
  }

  /** Writes what has been added, where that is much. */
  async flush(least = WRITTEN): Promise<void> {
    if (this.length < least) return;
    try {
      for (let at = 0; at < this.length; ) at += (await this.handle.write(this.out, at, this.length - at)).bytesWritten;
    } catch (cause) {
      throw new InputError(
        {
          file: this.file,
          problem: 'the file cannot be unpacked into the temporary folder',
          got: cause instanceof Error ? cause.message : String(cause),
          needed: 'room there for what it unpacks to',
          hint: 'name a folder with more room in the environment variable TMPDIR, or unpack the file beside the log',
        },
        { cause },
      );
    }
    this.length = 0;
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}
