/** What a value is, as bytes for a hash. */

export class ValueHash {
  /** @param update takes the next bytes, or text. */
  constructor(private readonly update: (part: Uint8Array | string) => void) {}

  /** Plain data, typed arrays, maps, and functions by their source text. */
  add(value: unknown): this {
    if (ArrayBuffer.isView(value)) {
      this.update(`${value.constructor.name} ${value.byteLength};`);
      this.update(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    } else if (value instanceof Map) this.add([...value]);
    else if (Array.isArray(value)) {
      this.update(`[${value.length};`);
      for (const one of value) this.add(one);
    } else if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).filter(([, one]) => one !== undefined);
      this.add(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
    } else this.update(`${typeof value} ${String(value)};`);
    return this;
  }
}
