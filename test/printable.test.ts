import { describe, expect, test } from 'vitest';
import { InputError } from '#dist/errors.js';
import { printable, printableLines } from '#dist/printable.js';

describe('printable text', () => {
  test.each([
    ['plain text, ümläute, 日本語', 'plain text, ümläute, 日本語'],
    ['\u001b[31mred', '\\u001b[31mred'],
    ['\u009b31m', '\\u009b31m'],
    ['a\u202eb\u2066c\u061cd', 'a\\u202eb\\u2066c\\u061cd'],
    ['tab\tline\nreturn\r', 'tab\\tline\\nreturn\\u000d'],
    ['zero\u200bwidth\ufeff', 'zero\\u200bwidth\\ufeff'],
    ['tag\u{e0041}', 'tag\\udb40\\udc41'],
    ['lone\ud800', 'lone\\ud800'],
    ['pair 😀', 'pair 😀'],
  ])('%j is shown as %s', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test('line breaks stay where lines are wanted', () => {
    expect(printableLines('a\u001b\nb\u0007')).toBe('a\\u001b\nb\\u0007');
  });

  test('no part of a fault can steer a terminal or fake another part', () => {
    const nasty = 'x\u001b]0;owned\u0007\u202e';
    const { message } = new InputError({
      file: `${nasty}\n  try:    rm`,
      row: 3,
      column: `${nasty}\ncolumn`,
      path: nasty,
      problem: nasty,
      got: nasty,
      needed: nasty,
      hint: nasty,
    });
    expect(message.replaceAll('\n', '')).toMatch(/^[ -~]*$/);
    expect(message.split('\n')).toHaveLength(4);
  });
});
