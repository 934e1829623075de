/**
 * Exact state on its way to a file or to another thread, and back. One description serves both directions: an object's
 * `carry(archive)` names its state once, and the archive writes it or fills it in.
 *
 *     carry(archive: Archive): void {
 *       this.updates = archive.number(this.updates);
 *       archive.array(this.theta);
 *     }
 */

import { EngineError } from './errors.js';

/** Arrays that archives hold. */
export type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | BigInt64Array | Float32Array | Float64Array;

/** Something whose state can be taken out and put back, to the last bit. */
export interface Carried {
  carry(archive: Archive): void;
}

/** Where exact state goes to, or comes from. */
export interface Archive {
  /** True where state is filled in, false where it is taken out. */
  readonly reading: boolean;
  /** Takes the value, or returns the one that was taken. Any number, NaN and −0 included. */
  number(value: number): number;
  /** As `number`, for true and false. */
  flag(value: boolean): boolean;
  /** As `number`, for text. */
  text(value: string): string;
  /** Takes the array's elements, or writes those that were taken into it. Its length must be the same. */
  array(values: Column): void;
  /** As `array`, for arrays that grow: returns a new one where it reads. */
  list<T extends Column>(values: T): T;
}

const SMALLEST = 256;

/** Takes state out. */
export class ArchiveWriter implements Archive {
  readonly reading = false;
  private buffer: Uint8Array;
  private length = 0;
  private readonly word = new Float64Array(1);

  /**
   * @param room is written to as long as it suffices.
   * @param make makes a larger one: zeroed bytes.
   */
  constructor(
    room: Uint8Array | null = null,
    private readonly make: (bytes: number) => Uint8Array = (bytes) => new Uint8Array(bytes),
  ) {
    this.buffer = room ?? make(SMALLEST);
  }

  number(value: number): number {
    this.word[0] = value;
    this.put(this.word);
    return value;
  }

  flag(value: boolean): boolean {
    this.number(value ? 1 : 0);
    return value;
  }

  text(value: string): string {
    this.list(new TextEncoder().encode(value));
    return value;
  }

  array(values: Column): void {
    this.list(values);
  }

  list<T extends Column>(values: T): T {
    this.number(values.length);
    this.put(values);
    return values;
  }

  /** What was taken; lies in the room where that sufficed. */
  bytes(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }

  /** The bytes and the room behind them, to write to again. */
  get room(): Uint8Array {
    return this.buffer;
  }

  private put({ buffer, byteOffset, byteLength }: Column): void {
    if (this.length + byteLength > this.buffer.length) {
      const larger = this.make(Math.max(2 * this.buffer.length, this.length + byteLength));
      larger.set(this.bytes());
      this.buffer = larger;
    }
    this.buffer.set(new Uint8Array(buffer, byteOffset, byteLength), this.length);
    this.length += byteLength;
  }
}

/** Fills state in. @throws EngineError where the bytes are not those of the same kind of state. */
export class ArchiveReader implements Archive {
  readonly reading = true;
  private at = 0;
  private readonly word = new Float64Array(1);

  constructor(private readonly bytes: Uint8Array) {}

  number(_value: number): number {
    this.get(this.word);
    return this.word[0];
  }

  flag(value: boolean): boolean {
    return this.number(value ? 1 : 0) !== 0;
  }

  text(_value: string): string {
    return new TextDecoder().decode(this.list(new Uint8Array(0)));
  }

  array(values: Column): void {
    const length = this.number(0);
    if (length !== values.length)
      throw new EngineError(`saved state has an array of ${length} where one of ${values.length} is needed`);
    this.get(values);
  }

  list<T extends Column>(values: T): T {
    const length = this.number(0);
    if (!Number.isSafeInteger(length) || length < 0 || length * values.BYTES_PER_ELEMENT > this.bytes.length - this.at)
      throw new EngineError('saved state is shorter than it says');
    const out = new (values.constructor as new (length: number) => T)(length);
    this.get(out);
    return out;
  }

  /** @throws EngineError unless everything was read. */
  end(): void {
    if (this.at !== this.bytes.length)
      throw new EngineError(`${this.bytes.length - this.at} bytes of saved state were left over`);
  }

  private get({ buffer, byteOffset, byteLength }: Column): void {
    if (this.at + byteLength > this.bytes.length) throw new EngineError('saved state ends too soon');
    new Uint8Array(buffer, byteOffset, byteLength).set(this.bytes.subarray(this.at, this.at + byteLength));
    this.at += byteLength;
  }
}
