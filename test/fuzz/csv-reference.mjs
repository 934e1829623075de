/** A small parser of CSV, as README and RFC 4180 have it: a pattern per field. The judge of the reader. */

import { isUtf8 } from 'node:buffer';

const utf8 = (latin1) => Buffer.from(latin1, 'latin1').toString('utf8');
const isText = (latin1) => isUtf8(Buffer.from(latin1, 'latin1'));

/** Longest record, in bytes. */
const LONGEST = 64e6;

const placeOf = (text, what, from) => {
  const at = text.indexOf(what, from);
  return at < 0 ? text.length : at;
};

/** A field in quotes, with blanks before them; null: there is none. */
function quotedAt(text, at) {
  let from = at;
  while (text[from] === ' ') from++;
  if (text[from] !== '"') return null;
  for (let close = placeOf(text, '"', from + 1); ; close = placeOf(text, '"', close + 2)) {
    const value = () => text.slice(from + 1, close);
    if (close === text.length) return { value: value(), to: close, isOpen: true };
    if (text[close + 1] !== '"') return { value: value(), to: close + 1, isOpen: false };
  }
}

/** Cuts the record at `from` into fields. */
function recordAt(text, from, delimiter) {
  const fields = [];
  let [isBad, isOpen, breaks] = [false, false, false];
  for (let at = from; ; at++) {
    const match = quotedAt(text, at);
    const after = match === null ? at : match.to;
    if (match?.isOpen) isOpen = true;
    if (/[\r\n]/.test(match?.value ?? '')) breaks = true;
    for (at = after; at < text.length && text[at] !== delimiter && text[at] !== '\r' && text[at] !== '\n'; ) at++;
    const rest = text.slice(after, at);
    if (match !== null && rest.replaceAll(' ', '') !== '') isBad = true;
    fields.push(match === null ? rest : match.value.replaceAll('""', '"'));
    if (text[at] !== delimiter) return { fields, to: at, isBad: isBad || isOpen, isOpen, breaks };
  }
}

/**
 * @returns `{ fault }` where the file as a whole is no log, else `{ rows }`: per row `{ values }`, a text or null per name, or
 *   `{ fault }`
 */
export function referenceCsv(bytes) {
  let text = bytes.toString('latin1');
  if (/^(?:\xff\xfe|\xfe\xff)/.test(text)) return { fault: 'UTF-16' };
  text = text.replace(/^\xef\xbb\xbf/, '');
  const first = /^(?:[ \t]*(?:\r\n|\r|\n))*/.exec(text)[0].length;
  if (first === text.length) return { fault: 'empty' };
  const headers = [',', '\t', ';', '|'].map((delimiter) => ({ delimiter, ...recordAt(text, first, delimiter) }));
  const ended = headers.filter(({ isOpen }) => !isOpen);
  if (ended.length === 0) return { fault: 'header is open' };
  const header = ended.reduce((most, one) => (one.fields.length > most.fields.length ? one : most));
  const { fields, delimiter } = header;
  if (header.to - first > LONGEST) return { fault: 'too long' };
  if (header.isBad || fields.length < 2 || fields.some((name) => name.includes('\0') || !isText(name)))
    return { fault: 'header is none' };
  const names = fields.map(utf8);
  const named = names.filter((name) => name !== '');
  if (new Set(named).size < named.length) return { fault: 'names repeat' };
  const rows = [];
  let broken = null;
  const ends = new Set((text.slice(0, first).match(/\r\n|\r|\n/g) ?? []).map(String));
  for (let at = header.to; at < text.length; ) {
    const end = /\r\n|\r|\n/y;
    end.lastIndex = at;
    const match = end.exec(text);
    if (match !== null) {
      ends.add(match[0]);
      at = end.lastIndex;
      continue;
    }
    const record = recordAt(text, at, delimiter);
    const raw = text.slice(at, record.to);
    at = record.to;
    if (raw.length > LONGEST) return { fault: 'too long' };
    const fault =
      raw.includes('\0') || !isText(raw)
        ? 'not text'
        : record.isBad
          ? 'quote'
          : record.fields.length !== names.length
            ? 'columns'
            : null;
    if (record.isBad && record.breaks) broken = 'open quote';
    rows.push(
      fault === null
        ? { values: new Map(names.map((name, i) => [name, record.fields[i] === '' ? null : utf8(record.fields[i])])) }
        : { fault },
    );
  }
  if (ends.has('\r') && ends.size > 1) return { fault: 'CR alone' };
  return broken === null ? { rows, names: new Set(names) } : { fault: broken };
}
