/** Where a Parquet file is written to: a file, front to back, in pieces that the writer fills in memory. */

import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { ByteWriter } from 'hyparquet-writer';

/** Bytes on their way into a file. `flush` empties the memory they wait in. */
export class FileSink extends ByteWriter {
  /** CRC-32 of the bytes since `beginCheck`, up to the last flush. */
  check = 0;
  private checkFrom = 0;
  /** Bytes in the file; `null`: a pipe, which has no places. */
  private written: number | null | undefined;

  constructor(private readonly handle: FileHandle) {
    super(1 << 16);
  }

  beginCheck(): void {
    this.check = 0;
    this.checkFrom = this.index;
  }

  async flush(): Promise<void> {
    const bytes = new Uint8Array(this.buffer, 0, this.index);
    this.check = crc32(bytes.subarray(this.checkFrom), this.check);
    this.written ??= (await this.handle.stat()).isFile() ? 0 : null;
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.handle.write(bytes, at, bytes.length - at, this.written);
      at += bytesWritten;
      if (this.written !== null) this.written += bytesWritten;
    }
    this.index = 0;
    this.checkFrom = 0;
  }

  override finish(): Promise<void> {
    return this.flush();
  }
}
