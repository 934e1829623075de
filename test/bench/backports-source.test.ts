import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { backportsSource } from '../../.ci/backports-source.mjs';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A folder like /etc/apt with these files. */
function apt(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'hindcast-apt-'));
  folders.push(folder);
  mkdirSync(join(folder, 'sources.list.d'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}
const derive = (files: Record<string, string>): string => backportsSource(apt(files), 'bookworm-backports');

describe('the apt source of bookworm-backports', () => {
  it('comes from a deb822 stanza, with its mirror and keys, past comments and other stanzas', () => {
    const text = `Types: deb
# a comment inside a stanza
URIs: http://mirror.example/security
Suites: bookworm-security
Components: main
Signed-By: /keys/security.gpg

Types: deb deb-src
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /keys/debian.gpg
`;
    expect(derive({ 'sources.list.d/debian.sources': text })).toBe(
      'Types: deb\nURIs: http://mirror.example/debian\nSuites: bookworm-backports\nComponents: main\nSigned-By: /keys/debian.gpg',
    );
  });

  it('keeps keys written into the stanza', () => {
    const key = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc\n -----END PGP PUBLIC KEY BLOCK-----';
    const text = `Types: deb\nURIs: http://m.example\nSuites: bookworm\nComponents: main\nSigned-By:\n ${key}\n`;
    expect(derive({ 'sources.list.d/debian.sources': text })).toContain(`Signed-By: \n ${key}`);
  });

  it('comes from a one-line entry, with its options', () => {
    const text = `# deb http://old.example bookworm main
deb-src http://mirror.example/debian bookworm main
deb [arch=amd64 signed-by=/keys/debian.gpg] http://mirror.example/debian bookworm main contrib # own mirror
`;
    expect(derive({ 'sources.list': text })).toBe(
      'deb [arch=amd64 signed-by=/keys/debian.gpg] http://mirror.example/debian bookworm-backports main',
    );
    expect(derive({ 'sources.list.d/a.list': 'deb http://m.example/debian bookworm main\n' })).toBe(
      'deb http://m.example/debian bookworm-backports main',
    );
  });

  it('is empty where it is there already', () => {
    const stanza = (suites: string): string =>
      `Types: deb\nURIs: http://m.example\nSuites: ${suites}\nComponents: main\n`;
    expect(derive({ 'sources.list.d/a.sources': stanza('bookworm bookworm-backports') })).toBe('');
    expect(
      derive({
        'sources.list': 'deb http://m.example bookworm-backports main\n',
        'sources.list.d/a.sources': stanza('bookworm'),
      }),
    ).toBe('');
  });

  it('passes over disabled stanzas, other endings and sources that are not binary', () => {
    const disabled = 'Enabled: no\nTypes: deb\nURIs: http://off.example\nSuites: bookworm\nComponents: main\n';
    const source = 'Types: deb-src\nURIs: http://src.example\nSuites: bookworm\nComponents: main\n';
    expect(() =>
      derive({
        'sources.list.d/a.sources': disabled,
        'sources.list.d/b.sources.disabled': disabled,
        'sources.list.d/c.sources': source,
      }),
    ).toThrow(/no apt source .* has the suite bookworm/);
  });
});
