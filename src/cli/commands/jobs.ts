/** `hindcast jobs`: a run that was submitted in, how far it is out. */

import { resolve } from 'node:path';
import { Command } from 'commander';
import { RunFolder } from '../../cluster/run-folder.js';
import { followRun, look, stateText } from '../follow-run.js';
import { type Io, writeAll } from '../io.js';

/** The command, ready to be parsed. */
export function jobsCommand(io: Io): Command {
  return new Command('jobs')
    .summary('tell how far a run is that was submitted')
    .description(
      'Tells how many parts of a run are done, running, waiting and failed, what those that failed printed last, and the time left.',
    )
    .argument('<run>', 'folder of the run, as submit named it')
    .option('--wait', 'follow it until the result is there; Ctrl-C leaves the jobs running')
    .option('--quiet', 'no progress bar')
    .action((run: string, options: { wait?: boolean; quiet?: boolean }) => jobsAction(run, options, io));
}

async function jobsAction(path: string, { wait, quiet }: { wait?: boolean; quiet?: boolean }, io: Io): Promise<void> {
  const folder = new RunFolder(resolve(path));
  if (wait === true) return followRun(folder, io, quiet === true);
  const { run, state } = await look(folder, io);
  await writeAll(io.stdout, await stateText(folder, run, state));
}
