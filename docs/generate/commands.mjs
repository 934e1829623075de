/** The page of commands, from the program: what `hindcast COMMAND --help` says, as tables. */

import { COMMANDS } from '#dist/cli/commands.js';
import { loadNames } from '#dist/cli/names.js';

/** Streams are only asked for when a command runs. */
const IO = { stdin: null, stdout: null, stderr: null, env: {}, signal: new AbortController().signal };

/** Markdown of the whole page. */
export async function commandsPage() {
  await loadNames(['evaluate', '--help']);
  const commands = COMMANDS.map((define) => define(IO));
  const links = commands.map(
    (command) => `| [\`${command.name()}\`](#${command.name()}) | ${quoted(command.summary())} |`,
  );
  return `${[
    '# Commands',
    '<!-- Written by npm run docs:generate, from the program. -->',
    '`hindcast COMMAND --help` says the same. Every command also knows `--debug`, which prints stack traces.',
    ['| command | what it is for |', '| --- | --- |', ...links].join('\n'),
    ...commands.flatMap(section),
  ].join('\n\n')}\n`;
}

function section(command) {
  const help = command.createHelp();
  const groups = new Map();
  for (const option of help.visibleOptions(command)) {
    if (option.long === '--help') continue;
    const heading = (option.helpGroupHeading ?? 'Options:').replace(/:$/, '');
    groups.set(heading, [...(groups.get(heading) ?? []), option]);
  }
  const tables = [...groups].flatMap(([heading, options]) => [
    groups.size === 1 ? [] : `**${heading}**`,
    table(options.map((option) => [option.flags, help.optionDescription(option)])),
  ]);
  const usage = `hindcast ${command.name()} ${help.commandUsage(command).split(' ').slice(1).join(' ')}`;
  return [`## ${command.name()}`, help.commandDescription(command), code(usage), ...tables.flat()];
}

function table(rows) {
  const lines = rows.map(([flags, text]) => `| ${code(cell(flags))} | ${quoted(cell(text))} |`);
  return ['| option | what it does |', '| --- | --- |', ...lines].join('\n');
}

const code = (text) => `\`${text}\``;
const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Flags in a text are set as such; what would be markup is not. */
function quoted(text) {
  return text.replaceAll(/(?<![\w-])--[a-z][\w-]*/g, code).replaceAll(/[<>*]/g, '\\$&');
}
