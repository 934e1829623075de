/** Numbers and the words that go with them agree. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plural } from '#dist/words.js';

describe('plural', () => {
  it.each([
    [0, '0 rows'],
    [1, '1 row'],
    [2, '2 rows'],
    [12_345, '12,345 rows'],
  ])('%d', (number, text) => expect(plural(number, 'row')).toBe(text));

  it('takes the plural that is no singular + s', () => {
    expect([plural(1, 'policy', 'policies'), plural(3, 'policy', 'policies')]).toEqual(['1 policy', '3 policies']);
  });
});

/** Nouns that come with counts. Constants in capitals, ranges and sizes of products are no counts of one. */
const COUNTED =
  /\$\{(?![A-Z_]+(?:\.\w+\([^)]*\))?\})(?:\w+\.length|\w+\.size|\w+\.events|count\([^${}]*\)|[\w.]+\.toLocaleString\('en'\))\} (?:more |other |whole |valid )?(events|policies|columns|rows|arms|files|blocks|replicas|features|values|levels|lines|entries|names|groups|factors|fits|tests)\b/;

describe('sentences with counts', () => {
  it('go through plural()', () => {
    const source = join(import.meta.dirname, '../src');
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    expect(files.length).toBeGreaterThan(300);
    const found = files.flatMap((name) =>
      readFileSync(join(source, name), 'utf8')
        .split('\n')
        .flatMap((line, i) =>
          !/^\s*(\*|\/[/*])/.test(line) && !line.includes('×') && COUNTED.test(line)
            ? [`${name}:${i + 1} ${line.trim()}`]
            : [],
        ),
    );
    expect(found).toEqual([]);
  });
});
