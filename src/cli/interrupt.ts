/** Ctrl-C and friends: the first asks the work to stop, the second ends the process. */

/** The reason of an aborted signal: what ended the run, and the exit status that shells expect for it. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitStatus: number;

  constructor(signal: NodeJS.Signals, exitStatus: number) {
    super(`interrupted by ${signal}`);
    this.exitStatus = exitStatus;
  }
}

const STATUS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** npm and npx pass a Ctrl-C on to a child that the terminal has already told: one key press, two signals. */
const SAME_KEY_PRESS_MS = 250;

/** A signal for `Io` that is aborted by the first SIGINT, SIGTERM or SIGHUP; the second one exits at once. */
export function abortOnSignals(): AbortSignal {
  const controller = new AbortController();
  let first = 0;
  for (const [name, status] of Object.entries(STATUS) as [keyof typeof STATUS, number][]) {
    process.on(name, () => {
      if (!controller.signal.aborted) {
        first = Date.now();
        controller.abort(new Interrupted(name, status));
      } else if (Date.now() - first > SAME_KEY_PRESS_MS) {
        // A progress bar may have hidden the cursor.
        if (process.stderr.isTTY) process.stderr.write('\u001b[?25h\n');
        // Ending in the usual way waits for writes under way, and a pipe may never be read.
        process.emit('exit', status);
        process.removeAllListeners(name);
        process.kill(process.pid, name);
      }
    });
  }
  return controller.signal;
}
