/** `hindcast cancel`: takes the jobs of a run out of the queue. */

import { resolve } from 'node:path';
import { Command } from 'commander';
import { RunFolder } from '../../cluster/run-folder.js';
import { cancel, queued } from '../../cluster/slurm.js';
import { plural } from '../../words.js';
import { type Io, writeAll } from '../io.js';

/** The command, ready to be parsed. */
export function cancelCommand(io: Io): Command {
  return new Command('cancel')
    .summary('end the jobs of a run that was submitted')
    .description('Ends the jobs of a run. Parts that are done are kept; submitted again, the run computes the others.')
    .argument('<run>', 'folder of the run, as submit named it')
    .action(async (path: string) => {
      const folder = new RunFolder(resolve(path));
      const run = await folder.read();
      const numbers = await cancel(await queued(run.id, io.env), io.env);
      const done = (await folder.done()).size;
      const what = numbers.length === 0 ? 'nothing was in the queue' : `cancelled: job ${numbers.join(' and ')}`;
      await writeAll(
        io.stdout,
        `${what}; ${plural(done, 'part')} of ${run.parts} ${done === 1 ? 'is' : 'are'} there\n`,
      );
    });
}
