/** `hindcast plan`: how many logged events are needed, before or after there is a log. */

import { Command, Option } from 'commander';
import { InputError } from '../../errors.js';
import type { PlanReport } from '../../report/plan-table.js';
import { VERSION } from '../../version.js';
import { outOption } from '../engine-options.js';
import { chooseFormat, tableOrJson } from '../format.js';
import type { Io } from '../io.js';
import { withOutput } from '../output.js';
import { numberBetween, range, required, wholeNumber } from '../values.js';

interface Options {
  arms?: number;
  validEvents?: number;
  error?: number;
  value?: number;
  delta: number;
  payoffRange?: [number, number];
  format?: string;
  out?: string;
}

const FORMATS = ['table', 'json'] as const;

/** The command, ready to be parsed. */
export function planCommand(io: Io): Command {
  return new Command('plan')
    .summary('how many logged events are needed')
    .description('How many logged events a policy needs for T valid events, or for a wanted error of its value.')
    .option(
      '--arms <K>',
      'arms per candidate set; a mean need not be whole (required)',
      numberBetween('--arms', 0, Number.POSITIVE_INFINITY),
    )
    .option('--valid-events <T>', 'wanted valid events per policy', wholeNumber('--valid-events', 1))
    .option('--error <E>', 'wanted error of the value', numberBetween('--error', 0, Number.POSITIVE_INFINITY))
    .option(
      '--value <g>',
      'value that the policy may have, e.g. 0.05',
      numberBetween('--value', Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
    )
    .addOption(
      new Option('--delta <d>', 'how often the answer may be too small')
        .argParser(numberBetween('--delta', 0, 1))
        .default(0.05),
    )
    .option('--payoff-range <low,high>', 'range of payoffs (default: 0,1)', range('--payoff-range'))
    .option('--format <name>', 'table or json (default: by the ending of --out, else table)')
    .addOption(outOption())
    .action((options: Options) => planAction(options, io));
}

async function planAction(options: Options, io: Io): Promise<void> {
  chooseFormat(options, FORMATS, io);
  const arms = required(options.arms, '--arms K', 'hindcast plan --arms 20 --valid-events 1000');
  const { validEvents, error, value } = options;
  if ((error === undefined) !== (value === undefined)) {
    throw new InputError({
      problem: '--error and --value go together',
      got: error === undefined ? 'only --value' : 'only --error',
      needed: 'the wanted error, and the value that the policy may have',
      hint: 'hindcast plan --arms 20 --error 0.005 --value 0.05',
    });
  }
  if (validEvents === undefined && error === undefined) {
    throw new InputError({
      problem: 'nothing was asked',
      needed: '--valid-events T, or --error E with --value G',
      hint: `hindcast plan --arms ${arms} --valid-events 1000`,
    });
  }
  await withOutput(options.out, [], io, async () => {
    const { planTable } = await import('../../report/plan-table.js');
    return tableOrJson(await answer(arms, options), planTable, options, io);
  });
}

async function answer(arms: number, options: Options): Promise<PlanReport> {
  const { planError, planMatches } = await import('../../estimate/plan.js');
  const { delta, validEvents, error, value, payoffRange = [0, 1] } = options;
  const confidence = 1 - delta;
  return {
    hindcast: VERSION,
    arms,
    delta,
    matches: validEvents === undefined ? null : { validEvents, ...planMatches({ validEvents, arms, confidence }) },
    error:
      error === undefined || value === undefined
        ? null
        : { error, value, range: payoffRange, ...planError({ error, value, arms, confidence, range: payoffRange }) },
  };
}
