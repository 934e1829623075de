// Prints an apt source entry for SUITE (default bookworm-backports), derived from this machine's own entry for the
// release, with the same mirror, options and keys; nothing where the machine has one already.
//
//   node .ci/backports-source.mjs [/etc/apt [bookworm-backports]]
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Stanzas of a deb822 file: field → value with continuation lines. Comments and disabled stanzas are left out. */
function stanzas(text) {
  const lines = text.split('\n').filter((line) => !line.startsWith('#'));
  return lines
    .join('\n')
    .split(/\n[ \t]*\n/)
    .map((stanza) => {
      const fields = new Map();
      let last = null;
      for (const line of stanza.split('\n')) {
        const field = /^([A-Za-z][\w-]*):[ \t]*(.*)$/.exec(line);
        if (field !== null) {
          last = field[1].toLowerCase();
          fields.set(last, field[2].trim());
        } else if (last !== null && /^[ \t]/.test(line)) fields.set(last, `${fields.get(last)}\n${line}`);
      }
      return fields;
    })
    .filter((fields) => fields.has('uris') && !/^no$/i.test(fields.get('enabled') ?? 'yes'));
}

const words = (text) => (text ?? '').split(/\s+/).filter((word) => word !== '');

/** Entries of a one-line file: `deb [options] uri suite components`. */
function oneLiners(text) {
  return text.split('\n').flatMap((line) => {
    const entry = /^\s*deb\s+(\[[^\]]*\]\s+)?(\S+)\s+(\S+)\s+([^#]*)/.exec(line);
    if (entry === null) return [];
    const [, options = '', uri, suite, components] = entry;
    return [{ options: options.trim(), uri, suite, components: words(components) }];
  });
}

/** The entry as text; '' where `suite` is there already. @throws Error where the release has no entry. */
export function backportsSource(apt, suite) {
  const release = suite.replace(/-.*$/, '');
  const parts = join(apt, 'sources.list.d');
  const names = existsSync(parts)
    ? readdirSync(parts)
        .sort()
        .map((name) => join(parts, name))
    : [];
  const read = (ending) =>
    [join(apt, 'sources.list'), ...names]
      .filter((file) => file.endsWith(ending) && existsSync(file))
      .map((file) => readFileSync(file, 'utf8'));
  const modern = read('.sources')
    .flatMap(stanzas)
    .filter((fields) => words(fields.get('types')).includes('deb'));
  const old = read('.list').flatMap(oneLiners);
  const suites = [...modern.flatMap((fields) => words(fields.get('suites'))), ...old.map((entry) => entry.suite)];
  if (suites.includes(suite)) return '';
  const stanza = modern.find(
    (fields) => words(fields.get('suites')).includes(release) && words(fields.get('components')).includes('main'),
  );
  if (stanza !== undefined) {
    // Whatever else it says (keys, architectures, trust) holds for the new suite too.
    const kept = [...stanza].filter(([name]) => !['types', 'uris', 'suites', 'components', 'enabled'].includes(name));
    return [
      'Types: deb',
      `URIs: ${stanza.get('uris')}`,
      `Suites: ${suite}`,
      'Components: main',
      ...kept.map(([name, value]) => `${name.replace(/(^|-)[a-z]/g, (c) => c.toUpperCase())}: ${value}`),
    ].join('\n');
  }
  const line = old.find((entry) => entry.suite === release && entry.components.includes('main'));
  if (line !== undefined) return ['deb', line.options, line.uri, suite, 'main'].filter((word) => word !== '').join(' ');
  throw new Error(`no apt source below ${apt} has the suite ${release}, so there is nothing to derive ${suite} from`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [apt = '/etc/apt', suite = 'bookworm-backports'] = process.argv.slice(2);
  const entry = backportsSource(apt, suite);
  if (entry !== '') console.log(entry);
}
