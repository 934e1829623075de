/** Cuts a stream of bytes into lines. Lines are views into what was pushed; only those that span two chunks are copied. */

/** Longest line by default: far above those of any log, and small against memory. */
export const MOST_LINE_BYTES = 1 << 20;

const NEWLINE = 10;

export interface LineSink {
  /** A line, without its line feed: `bytes[from .. to)`, valid during the call only. */
  line(bytes: Buffer, from: number, to: number): void;
  /** A line of more than the most bytes, without its line feed. @param beginning its first bytes */
  tooLong(beginning: Buffer, length: number): void;
}

/** What follows the last line feed. */
export interface Rest {
  readonly bytes: Buffer;
  readonly length: number;
}

/** Feeds lines to a sink. Memory is bounded by one chunk and the longest line. */
export class LineFeed {
  private carry = Buffer.allocUnsafe(65536);
  /** Length of the line so far that `carry` holds the beginning of. */
  private carried = 0;

  constructor(
    private readonly sink: LineSink,
    private readonly mostBytes = MOST_LINE_BYTES,
  ) {}

  push(chunk: Buffer): void {
    const { sink, mostBytes } = this;
    let from = 0;
    if (this.carried > 0) {
      const end = chunk.indexOf(NEWLINE);
      this.keep(chunk, 0, end < 0 ? chunk.length : end);
      if (end < 0) return;
      const length = this.carried;
      this.carried = 0;
      if (length > mostBytes) sink.tooLong(this.carry.subarray(0, mostBytes), length);
      else sink.line(this.carry, 0, length);
      from = end + 1;
    }
    for (;;) {
      const end = chunk.indexOf(NEWLINE, from);
      if (end < 0) break;
      if (end - from > mostBytes) sink.tooLong(chunk.subarray(from, from + mostBytes), end - from);
      else sink.line(chunk, from, end);
      from = end + 1;
    }
    if (from < chunk.length) this.keep(chunk, from, chunk.length);
  }

  /** What stands after the last line feed; `null`: nothing. The next file starts with a new line. */
  end(): Rest | null {
    const length = this.carried;
    this.carried = 0;
    return length === 0 ? null : { bytes: this.carry.subarray(0, Math.min(length, this.mostBytes)), length };
  }

  private keep(chunk: Buffer, from: number, to: number): void {
    const held = Math.min(this.carried, this.mostBytes);
    const taken = Math.min(to - from, this.mostBytes - held);
    if (held + taken > this.carry.length) {
      const grown = Buffer.allocUnsafe(Math.min(this.mostBytes, Math.max(held + taken, this.carry.length * 2)));
      grown.set(this.carry.subarray(0, held));
      this.carry = grown;
    }
    chunk.copy(this.carry, held, from, from + taken);
    this.carried += to - from;
  }
}
