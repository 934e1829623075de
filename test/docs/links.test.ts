/** Links lead somewhere: to files that are there, to headings that they have, in all of README and docs/. */

import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PAGES, proseOf, ROOT } from './pages.js';

/** Anchors of a page, as GitHub makes them of headings. */
function anchorsOf(page: string): Set<string> {
  const seen = new Map<string, number>();
  return new Set(
    [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => {
      const slug = heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
        .replaceAll(' ', '-');
      const times = seen.get(slug) ?? 0;
      seen.set(slug, times + 1);
      return times === 0 ? slug : `${slug}-${times}`;
    }),
  );
}

/** Why a link of a page leads nowhere; undefined: it does not, or leads out of here. */
function fault(page: string, link: string): string | undefined {
  if (/^[a-z]+:/.test(link)) return /^https:\/\/[^/]+\.[^/]+/.test(link) ? undefined : 'no address of https';
  const [path, anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(ROOT, target))) return 'no such file';
  // The site has docs/ alone.
  if (page !== 'README.md' && !target.startsWith('docs/')) return 'outside of docs/';
  return anchor === undefined || anchorsOf(target).has(anchor) ? undefined : 'no such heading';
}

const linksOf = (page: string): string[] =>
  [
    ...proseOf(page)
      .replaceAll(/`[^`\n]*`/g, '``')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ].map(([, link]) => link);

describe('links', () => {
  it.each(PAGES)('of %s', (page) => {
    expect(
      linksOf(page).flatMap((link) => fault(page, link) ?? []).length,
      linksOf(page)
        .filter((link) => fault(page, link))
        .join(', '),
    ).toBe(0);
  });

  it('that are dead are found', () => {
    const dead = ['docs/none.md', '#none', 'docs/architecture.md#none', 'http://localhost/'];
    expect(dead.map((link) => fault('README.md', link))).not.toContain(undefined);
    expect(fault('docs/architecture.md', '../README.md')).toBe('outside of docs/');
  });

  it('lead to every page', () => {
    const reached = new Set(['README.md', 'docs/index.md']);
    for (const page of reached)
      for (const link of linksOf(page)) {
        const path = normalize(join(dirname(page), link.split('#')[0]));
        if (PAGES.includes(path)) reached.add(path);
      }
    expect([...PAGES].filter((page) => !reached.has(page))).toEqual([]);
  });
});
