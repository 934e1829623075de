/**
 * Checks Arrow's metadata (flatbuffers) before they are decoded: apache-arrow trusts lengths and offsets, so that a
 * damaged length could make it allocate without bound.
 */

/** A part of a table by its slot: text, a vector, a table, or a table whose shape its type slot says. */
type Part =
  | { readonly kind: 'text' }
  | { readonly kind: 'vector'; readonly bytes: number }
  | { readonly kind: 'tables'; readonly shape: () => Shape }
  | { readonly kind: 'table'; readonly shape: () => Shape }
  | { readonly kind: 'union'; readonly type: number; readonly shapes: Readonly<Record<number, () => Shape>> };

/** Parts by slot; slots that are not here hold plain numbers, which decoding reads within the table. */
type Shape = Readonly<Record<number, Part>>;

const KEY_VALUES: Part = { kind: 'tables', shape: () => ({ 0: { kind: 'text' }, 1: { kind: 'text' } }) };

const FIELD: Shape = {
  0: { kind: 'text' },
  // Timestamps have a zone, unions ids of their types.
  3: {
    kind: 'union',
    type: 2,
    shapes: { 10: () => ({ 1: { kind: 'text' } }), 14: () => ({ 1: { kind: 'vector', bytes: 4 } }) },
  },
  4: { kind: 'table', shape: () => ({ 1: { kind: 'table', shape: () => ({}) } }) },
  5: { kind: 'tables', shape: () => FIELD },
  6: KEY_VALUES,
};

const SCHEMA: Shape = { 1: { kind: 'tables', shape: () => FIELD }, 2: KEY_VALUES, 3: { kind: 'vector', bytes: 8 } };

const RECORD_BATCH: Shape = {
  1: { kind: 'vector', bytes: 16 },
  2: { kind: 'vector', bytes: 16 },
  3: { kind: 'table', shape: () => ({}) },
  4: { kind: 'vector', bytes: 8 },
};

const MESSAGE: Shape = {
  2: {
    kind: 'union',
    type: 1,
    shapes: {
      1: () => SCHEMA,
      2: () => ({ 1: { kind: 'table', shape: () => RECORD_BATCH } }),
      3: () => RECORD_BATCH,
    },
  },
  4: KEY_VALUES,
};

const FOOTER: Shape = {
  1: { kind: 'table', shape: () => SCHEMA },
  2: { kind: 'vector', bytes: 24 },
  3: { kind: 'vector', bytes: 24 },
  4: KEY_VALUES,
};

/** @throws Error where decoding a message would leave its bytes. */
export function verifyMessage(bytes: Uint8Array): void {
  new Verifier(bytes).root(MESSAGE);
}

/** @throws Error where decoding a footer would leave its bytes. */
export function verifyFooter(bytes: Uint8Array): void {
  new Verifier(bytes).root(FOOTER);
}

class Verifier {
  private readonly view: DataView;
  /** Tables may be shared; each look at one counts, or a few bytes could stand for very many. */
  private looks = 0;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  root(shape: Shape): void {
    this.table(this.follow(0), shape);
  }

  private table(at: number, shape: Shape): void {
    if (++this.looks > this.bytes.length) throw new Error('metadata whose parts are shared too often');
    this.within(at, 4);
    const slots = at - this.view.getInt32(at, true);
    this.within(slots, 4);
    const size = this.view.getUint16(slots, true);
    this.within(slots, Math.max(4, size));
    this.within(at, this.view.getUint16(slots + 2, true));
    const slot = (number: number): number => {
      const entry = 4 + 2 * number;
      const offset = entry + 2 <= size ? this.view.getUint16(slots + entry, true) : 0;
      if (offset !== 0) this.within(at + offset, 1);
      return offset === 0 ? 0 : at + offset;
    };
    for (const [number, part] of Object.entries(shape)) {
      const place = slot(Number(number));
      if (place === 0) continue;
      switch (part.kind) {
        case 'text':
          this.vector(place, 1);
          break;
        case 'vector':
          this.vector(place, part.bytes);
          break;
        case 'table':
          this.table(this.follow(place), part.shape());
          break;
        case 'tables': {
          const { start, length } = this.vector(place, 4);
          for (let i = 0; i < length; i++) this.table(this.follow(start + 4 * i), part.shape());
          break;
        }
        case 'union': {
          const type = slot(part.type);
          const inner = type === 0 ? undefined : part.shapes[this.bytes[type]];
          this.table(this.follow(place), inner?.() ?? {});
        }
      }
    }
  }

  private vector(place: number, bytes: number): { start: number; length: number } {
    const at = this.follow(place);
    this.within(at, 4);
    const length = this.view.getUint32(at, true);
    this.within(at + 4, length * bytes);
    return { start: at + 4, length };
  }

  private follow(place: number): number {
    this.within(place, 4);
    return place + this.view.getUint32(place, true);
  }

  private within(at: number, length: number): void {
    if (!(at >= 0 && at + length <= this.bytes.length)) throw new Error('metadata that refer to what is not there');
  }
}
