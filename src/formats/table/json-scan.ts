/**
 * Objects whose members are called as those of earlier lines: checked and cut in one pass over the text. JSON.parse takes far
 * longer for objects of thousands of members. Whatever is new or odd is left to the thorough way.
 */

import { isObject, type JsonObject } from '../dsjson/json.js';

const [QUOTE, COMMA, MINUS, DOT, ZERO, NINE, COLON, BRACKET, BACKSLASH, BRACE] = [
  34, 44, 45, 46, 48, 57, 58, 91, 92, 123,
];
const [END_BRACKET, END_BRACE] = [93, 125];

/** The text is not what is known here. */
const OTHER = -1;
/** As deep as the thorough way goes, or less. */
const DEEPEST = 32;
/** Names that are remembered. */
const MOST_NAMES = 200_000;

/** A member by name, and those of its object or of the objects in its list. */
interface Member {
  /** Its name, in quotes. */
  readonly quoted: string;
  /** Its cell; −1: none. */
  readonly place: number;
  /** The object that it was seen in last. */
  seenIn: number;
  readonly members: Map<string, Member>;
  /** The members in the order of the object before. */
  order: Member[];
}

/** The cell of a member by the way to it; −1: none. */
export type PlaceOf = (path: readonly string[]) => number;
/** A value `text[from .. to)` as a cell. */
export type CellOf = (text: string, from: number, to: number) => string;

export class JsonScan {
  private readonly root = member('', -1);
  private names = 0;
  private objects = 0;
  private text = '';
  private cells: string[] = [];

  constructor(
    private readonly placeOf: PlaceOf,
    private readonly cellOf: CellOf,
  ) {}

  /** Takes note of the names of an object. */
  learn(value: JsonObject): void {
    this.add(this.root, value, []);
  }

  /** Writes the cells of an object. @returns whether it is one of known members, each there once, and without escapes. */
  read(text: string, cells: string[]): boolean {
    this.text = text;
    this.cells = cells;
    const from = this.blank(0);
    if (text.charCodeAt(from) !== BRACE) return false;
    const end = this.object(from, this.root, 1);
    return end !== OTHER && this.blank(end) === text.length;
  }

  /** @param path to what `to` is; `null` within lists, which have no cells. */
  private add(to: Member, value: unknown, path: readonly string[] | null): void {
    if (Array.isArray(value)) {
      for (const element of value) if (typeof element === 'object') this.add(to, element, null);
    } else if (isObject(value)) {
      for (const [name, inner] of Object.entries(value)) {
        const way = path === null ? null : [...path, name];
        let known = to.members.get(name);
        if (known === undefined) {
          if (this.names === MOST_NAMES) return;
          this.names++;
          known = member(name, way === null ? -1 : this.placeOf(way));
          to.members.set(name, known);
        }
        if (typeof inner === 'object') this.add(known, inner, Array.isArray(inner) ? null : way);
      }
    }
  }

  /** @returns the place behind what begins at `from`, or `OTHER`, as all that follow. */
  private object(from: number, parent: Member, depth: number): number {
    const { text, cells } = this;
    const id = ++this.objects;
    let i = this.blank(from + 1);
    if (text.charCodeAt(i) === END_BRACE) return i + 1;
    for (let at = 0; ; at++) {
      let next: Member | undefined = parent.order[at];
      if (next === undefined || !text.startsWith(next.quoted, i)) {
        const close = text.charCodeAt(i) === QUOTE ? this.string(i) : OTHER;
        next = close === OTHER ? undefined : parent.members.get(text.slice(i + 1, close - 1));
        if (next === undefined) return OTHER;
        parent.order[at] = next;
      }
      if (next.seenIn === id) return OTHER;
      next.seenIn = id;
      i = this.blank(i + next.quoted.length);
      if (text.charCodeAt(i) !== COLON) return OTHER;
      i = this.blank(i + 1);
      const end = this.value(i, next, depth);
      if (end === OTHER) return OTHER;
      if (next.place >= 0) {
        // A string without escapes is as CSV has it, quotes and all.
        cells[next.place] = text.charCodeAt(i) === QUOTE ? text.slice(i, end) : this.cellOf(text, i, end);
      }
      i = this.blank(end);
      const code = text.charCodeAt(i);
      if (code === END_BRACE) return i + 1;
      if (code !== COMMA) return OTHER;
      i = this.blank(i + 1);
    }
  }

  private value(from: number, parent: Member, depth: number): number {
    const code = this.text.charCodeAt(from);
    if (code === QUOTE) return this.string(from);
    if (code === MINUS || (code >= ZERO && code <= NINE)) return this.number(from);
    if (code === BRACE || code === BRACKET) {
      if (depth === DEEPEST) return OTHER;
      return code === BRACE ? this.object(from, parent, depth + 1) : this.list(from, parent, depth + 1);
    }
    for (const word of ['null', 'true', 'false']) if (this.text.startsWith(word, from)) return from + word.length;
    return OTHER;
  }

  private list(from: number, parent: Member, depth: number): number {
    const { text } = this;
    let i = this.blank(from + 1);
    if (text.charCodeAt(i) === END_BRACKET) return i + 1;
    for (;;) {
      const end = this.value(i, parent, depth);
      if (end === OTHER) return OTHER;
      i = this.blank(end);
      const code = text.charCodeAt(i);
      if (code === END_BRACKET) return i + 1;
      if (code !== COMMA) return OTHER;
      i = this.blank(i + 1);
    }
  }

  /** A string without escapes. */
  private string(from: number): number {
    const { text } = this;
    for (let i = from + 1; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === QUOTE) return i + 1;
      if (code === BACKSLASH || code < 32) return OTHER;
    }
    return OTHER;
  }

  private number(from: number): number {
    const { text } = this;
    let i = from + (text.charCodeAt(from) === MINUS ? 1 : 0);
    // No digit follows a leading zero: what does is no comma or brace either.
    i = text.charCodeAt(i) === ZERO ? i + 1 : this.digits(i);
    if (i !== OTHER && text.charCodeAt(i) === DOT) i = this.digits(i + 1);
    // e or E.
    if (i !== OTHER && (text.charCodeAt(i) | 32) === 101) {
      const sign = text.charCodeAt(i + 1);
      i = this.digits(sign === 43 || sign === MINUS ? i + 2 : i + 1);
    }
    return i;
  }

  private digits(from: number): number {
    const { text } = this;
    let i = from;
    for (let code = text.charCodeAt(i); code >= ZERO && code <= NINE; ) code = text.charCodeAt(++i);
    return i === from ? OTHER : i;
  }

  /** Behind the white space of JSON. */
  private blank(from: number): number {
    const { text } = this;
    let i = from;
    for (let code = text.charCodeAt(i); code === 32 || code === 9 || code === 10 || code === 13; )
      code = text.charCodeAt(++i);
    return i;
  }
}

function member(name: string, place: number): Member {
  return { quoted: `"${name}"`, place, seenIn: 0, members: new Map(), order: [] };
}
