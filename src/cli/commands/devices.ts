/** `hindcast devices`: the adapters of this machine and what matters about them. */

import { Command } from 'commander';
import { outOption } from '../engine-options.js';
import { chooseFormat, tableOrJson } from '../format.js';
import type { Io } from '../io.js';
import { withOutput } from '../output.js';

interface Options {
  format?: string;
  out?: string;
}

/** The command, ready to be parsed. */
export function devicesCommand(io: Io): Command {
  return new Command('devices')
    .summary('list GPU adapters and what --device auto would use')
    .description('Lists the WebGPU adapters of this machine, with the limits that matter here.')
    .option('--format <name>', 'table or json (default: by the ending of --out, else table)')
    .addOption(outOption())
    .action(async (options: Options) => {
      chooseFormat(options, ['table', 'json'], io);
      await withOutput(options.out, [], io, async () => {
        const { adaptersElsewhere } = await import('../../gpu/elsewhere.js');
        const { listAdapters } = await import('../../gpu/device.js');
        const { devicesTable } = await import('../../report/devices-table.js');
        return tableOrJson((await adaptersElsewhere(true)) ?? (await listAdapters()), devicesTable, options, io);
      });
    });
}
