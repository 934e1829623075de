/** Mutations of tables of text: quotes, ends of lines, headers, numbers and escapes, as other programs write them. */

const ENDS = ['\n', '\r\n', '\r', '\n\n', '\r\n\r\n', '\n \n', '\r\r\n'];
const CSV_CELLS = [
  ...[
    '',
    '""',
    '"',
    '""""',
    '"a"',
    ' "a"',
    '"a" ',
    '"a"b',
    'a"b',
    '"a\nb"',
    '"a\r\nb"',
    '"a\rb"',
    '"a,b"',
    '"a""b"',
    '"a',
  ],
  ...[
    '1e3',
    '+1',
    '-1',
    '0x10',
    '1_000',
    ' 1',
    '1 ',
    '\t1',
    'Infinity',
    '-inf',
    'nan',
    'NaN',
    '1,5',
    '"1,5"',
    '1.',
    '.5',
  ],
  ...[
    '1e400',
    '1e-400',
    '9007199254740993',
    '123456789012345678901234567890',
    '0.1',
    '1E+2',
    '--1',
    '1e',
    '٣',
    '1f',
    '1d',
  ],
  ...[
    'true',
    'FALSE',
    'True',
    'null',
    'NULL',
    'NA',
    '2020-01-01',
    '\\N',
    '\\n',
    "'a'",
    'é',
    'e\u0301',
    '\ufeff',
    '\0',
    '\u2028',
  ],
  ...['a;b', 'a|b', 'a\tb', ' ', '  ', '\x1a', '\x1b', '-0', '0.0', '00', '1.0', '1', '#a', 'b'.repeat(300)],
];
const JSON_VALUES = [
  ...[
    'null',
    'true',
    'false',
    '0',
    '-0',
    '1.0',
    '1e3',
    '1E+2',
    '-1',
    '+1',
    '0x10',
    '1_000',
    '.5',
    '5.',
    '01',
    'NaN',
    'Infinity',
  ],
  ...['-Infinity', '1e400', '1e-400', '9007199254740993', '18446744073709551616', '123456789012345678901234567890.5'],
  ...[
    '""',
    '"a"',
    '"a\\nb"',
    '"\\u0000"',
    '"\\ud800"',
    '"\\ud83d\\ude00"',
    '"\\udc00\\ud800"',
    '"a\\"b"',
    '"\\\\"',
    '"\\x"',
    '"a',
  ],
  ...[
    '"a\tb"',
    '"1"',
    '" 1"',
    '"1e3"',
    '"0x10"',
    '"true"',
    '"é"',
    '"\\u00e9"',
    "'a'",
    'a',
    '[]',
    '[1,2]',
    '["a","b"]',
    '{}',
  ],
  ...[
    '{"a":1}',
    '{"a":1,"a":2}',
    '{"a":{"b":[{}]}}',
    '[[[]]]',
    '1,',
    ',1',
    '1 2',
    '"\u2028"',
    '"a,b"',
    '"\\/"',
    '""""',
  ],
];
const JSON_NAMES = [
  '"arm"',
  '"payoff"',
  '"x"',
  '"k"',
  '"\\u0061rm"',
  '"a"',
  '""',
  'arm',
  "'arm'",
  '"ARM"',
  '"arm ',
  '"\\ud800"',
];

const splice = (text, from, to, middle) => text.slice(0, from) + middle + text.slice(to);
const linesOf = (text) => text.split('\n');

const onLine = (change) => (text, random) => {
  const lines = linesOf(text);
  const i = random.below(lines.length);
  lines[i] = change(lines[i], random, i);
  return lines.join('\n');
};

const end = (text, random) => {
  const at = [];
  for (let i = 0; i < text.length; i++) if (text[i] === '\n') at.push(i);
  if (at.length === 0) return text;
  const i = random.pick(at);
  return splice(text, i, i + 1, random.pick(ENDS));
};
const allEnds = (text, random) => text.replaceAll('\n', random.pick(['\r\n', '\r', '\n\n']));
const before = (text, random) =>
  random.pick(['\n', '\r\n', '\ufeff', '\ufeff\n', ' \n', '\t\n\n', '\r', '#\n', '\0']) + text;
const cut = (text, random) => text.slice(0, random.below(text.length + 1));
const noEnd = (text) => text.replace(/\s+$/, '');
const doubleLine = onLine((line) => `${line}\n${line}`);
const joinLines = onLine((line, random) => line + random.pick(['', ' ', ',']) + line);
const swapLines = (text, random) => {
  const lines = linesOf(text);
  const [i, j] = [random.below(lines.length), random.below(lines.length)];
  [lines[i], lines[j]] = [lines[j], lines[i]];
  return lines.join('\n');
};
const COMMON = [end, end, allEnds, before, cut, noEnd, doubleLine, joinLines, swapLines];

const CSV = [
  ...COMMON,
  ...Array.from({ length: 8 }, () =>
    onLine((line, random) => {
      const cells = line.split(',');
      cells[random.below(cells.length)] = random.pick(CSV_CELLS);
      return cells.join(',');
    }),
  ),
  onLine((line) => `${line},`),
  onLine((line) => line.split(',').slice(0, -1).join(',')),
  onLine((line, random) => `${line},${random.pick(CSV_CELLS)}`),
  onLine((line) =>
    line
      .split(',')
      .map((cell) => `"${cell}"`)
      .join(','),
  ),
  (text, random) => text.replaceAll(',', random.pick([';', '\t', '|', ', '])),
  // A quote in one line and another in a later one.
  (text, random) => {
    const [a, b] = [random.below(text.length + 1), random.below(text.length + 1)].sort((x, y) => x - y);
    return `${text.slice(0, a)}"${text.slice(a, b)}"${text.slice(b)}`;
  },
  (text, random) =>
    text.replace(/^[^\n]*/, (line) => `${line},${random.pick(['arm', 'x', '', 'ARM', '"arm"', ' arm', 'z'])}`),
];
const JSONL = [
  ...COMMON,
  ...Array.from({ length: 8 }, () =>
    onLine((line, random) => {
      const parts = line.split(/(?<=:)(?=[^:]*$|[^:]*?,)/);
      const values = [...line.matchAll(/:\s*("(?:[^"\\]|\\.)*"|[^,}]*)/g)];
      if (values.length === 0) return line + parts.length;
      const { index, 0: whole } = random.pick(values);
      return splice(line, index + 1, index + whole.length, random.pick(JSON_VALUES));
    }),
  ),
  ...Array.from({ length: 3 }, () =>
    onLine((line, random) => {
      const names = [...line.matchAll(/"[a-z]*"(?=:)/g)];
      if (names.length === 0) return line;
      const { index, 0: whole } = random.pick(names);
      return splice(line, index, index + whole.length, random.pick(JSON_NAMES));
    }),
  ),
  onLine((line, random) => line.replace(/\}$/, `,${random.pick(JSON_NAMES)}:${random.pick(JSON_VALUES)}}`)),
  onLine((line, random) => line.replace(/,/g, random.pick([' , ', ',\t', ', ', ',,', ',\r', ',\u00a0']))),
  onLine((line, random) => line + random.pick([',', ';', ' ', '{}', ' {"arm":"a"}', '//', '\u00a0', '\x0b'])),
];

/** One of `seeds` mutated one to six times. */
export function mutatedText(seeds, random, _, name) {
  const mutations = name === 'csv' ? CSV : JSONL;
  let text = random.pick(seeds).toString('utf8');
  let times = 1;
  while (times < 6 && random.once(2)) times++;
  for (let i = 0; i < times; i++) text = random.pick(mutations)(text, random);
  const bytes = Buffer.from(text);
  if (random.once(20) && bytes.length > 0) bytes[random.below(bytes.length)] = random.pick([0xff, 0xc3, 0x80, 0, 0xed]);
  return bytes;
}
