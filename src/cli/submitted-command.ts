/** The command whose parts are submitted: its words as typed, parsed and checked before a cluster sees them. */

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { InputError } from '../errors.js';
import { fileError } from '../files/file-error.js';
import { RENDERER_NAMES, RENDERERS, type RendererName } from '../report/renderers.js';
import { typedWithout } from './again.js';
import { checkAdapter, type EngineOptions } from './engine-options.js';
import { chooseFormat } from './format.js';
import { type Io, isStandardOutput } from './io.js';
import { type LogOptions, logInput } from './log-options.js';
import { checkTarget, refuse } from './output.js';
import { checkPartOptions, pathsIn } from './part-options.js';
import { refuseRepeats, required } from './values.js';

/** Commands that have parts, each as it is defined. */
export type PartedCommands = Readonly<Record<string, (io: Io) => Command>>;

type Parsed = LogOptions & EngineOptions & { policies?: string; learners?: string; part?: unknown; gpus?: unknown };

/** A command to be run in parts. */
export interface PartedCommand {
  /** As typed, without the options of submit. */
  readonly words: readonly string[];
  /** Words of a part, but for its number, its threads and its files. */
  readonly task: readonly string[];
  /** Options of the merge, but for its threads and where the result goes. */
  readonly merge: readonly string[];
  /** Where the result goes, of a run in a folder. */
  readonly result: (folder: string) => string;
  readonly threads?: number;
  /** Options of submit that stand among those of the command. */
  readonly submit: object;
}

/** Options of the whole, which no part has. */
const OF_RESULT = ['--out', '--format', '--pictures', '--quiet', '--debug'];

/**
 * Parses a command and checks what can be checked without its log.
 *
 * @param submit the command that submits it, whose options may stand among its own.
 * @throws InputError and CommanderError where it would not run.
 */
export async function partedCommand(
  words: readonly string[],
  { submit, commands, io }: { readonly submit: Command; readonly commands: PartedCommands; readonly io: Io },
): Promise<PartedCommand> {
  const [name, ...rest] = words;
  if (!Object.hasOwn(commands, name))
    throw new InputError({
      problem: 'only a run that has parts can be submitted',
      got: name,
      needed: Object.keys(commands).join(' or '),
      hint: 'hindcast submit slurm -- evaluate LOG --policies SET.json --parts 64',
    });
  const command = commands[name](io).copyInheritedSettings(submit).option('--debug');
  const own = command.options.map(({ long }) => long);
  for (const option of submit.options) if (!own.includes(option.long)) command.addOption(option);
  let parsed: { files: string[]; options: Parsed } = { files: [], options: { device: 'auto' } as Parsed };
  command.action((files: string[], options: Parsed) => {
    parsed = { files, options };
  });
  await refuseRepeats(command).parseAsync(rest, { from: 'user' });
  const { files, options } = parsed;
  await check(name, files, options, io);
  const ofSubmit = submit.options.filter(({ long }) => !own.includes(long));
  const typed = typedWithout(rest, command.options, ofSubmit);
  const ofResult = command.options.filter(({ long }) => OF_RESULT.includes(long ?? '') || long === '--threads');
  const { format, pictures, memory, out, threads } = options;
  return {
    words: [name, ...typed],
    task: [name, ...typedWithout(typed, command.options, ofResult)],
    merge: [
      ...['--device', 'cpu'],
      ...Object.entries({ format, pictures, memory }).flatMap(([key, value]) =>
        value === undefined ? [] : [`--${key}`, String(value)],
      ),
    ],
    ...{ result: (folder) => resultFile(folder, { out, format }), threads },
    submit: Object.fromEntries(
      ofSubmit.flatMap((option) => {
        const value: unknown = command.getOptionValue(option.attributeName());
        return value === undefined ? [] : [[option.attributeName(), value]];
      }),
    ),
  };
}

async function check(name: string, files: readonly string[], options: Parsed, io: Io): Promise<void> {
  for (const option of ['part', 'resume', 'gpus'] as const)
    if (options[option] !== undefined)
      throw new InputError({
        problem: `option ${option} does not go together with submit`,
        got: `--${option}`,
        needed:
          '--parts N, and --gpus-per-task N for GPUs: submit numbers the parts, and keeps the state of each in the folder of the run',
      });
  checkPartOptions(files, { out: 'part.parquet' });
  chooseFormat({ format: options.format, out: resultFile('.', options) }, RENDERER_NAMES, io);
  const { policies, learners } = options;
  const set =
    name === 'evaluate'
      ? required(policies, '--policies SET.json', 'evaluate LOG --policies SET.json')
      : required(learners, '--learners FILE.json', 'replay LOG --learners LEARNERS.json');
  checkAdapter(options);
  const inputs = [...files, ...pathsIn(options)];
  for (const file of inputs)
    await access(file, constants.R_OK).catch((error: unknown) => {
      throw fileError(file, error);
    });
  await logInput(files, options);
  if (name === 'evaluate') await (await import('../policy/node-files.js')).loadPolicySet(set);
  else await (await import('../learner/set/node-learners.js')).loadLearnerSet(set);
  await checkPlace(options.out, inputs);
}

/** Where a result goes: where the options say, or beside the parts. @param folder of the run. */
export function resultFile(folder: string, { out, format = 'json' }: { out?: string; format?: string }): string {
  if (!isStandardOutput(out)) return resolve(out);
  const [ending] = Object.hasOwn(RENDERERS, format) ? RENDERERS[format as RendererName].endings : ['.json'];
  return join(folder, `result${ending}`);
}

/** @throws InputError where a file cannot be written. */
export async function checkPlace(out: string | undefined, inputs: readonly string[]): Promise<void> {
  if (isStandardOutput(out)) return;
  await checkTarget(out, inputs);
  await refuse(out, () => access(dirname(out), constants.W_OK | constants.X_OK));
}
