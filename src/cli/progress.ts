/** A progress bar on standard error for work that takes more than a second. */

import type { SingleBar } from 'cli-progress';
import { duration, prefixed } from '../report/numbers.js';
import type { Io, Sink } from './io.js';

/** What long work reports: rows while loading, events while writing, decisions while evaluating, events while replaying, verifying or simulating, parts while others compute them. `total` is `null` where it is not known. */
export interface Progress {
  phase: 'load' | 'write' | 'evaluate' | 'replay' | 'verify' | 'simulate' | 'follow';
  done: number;
  total: number | null;
}

export interface ProgressDisplay {
  report(progress: Progress): void;
  /** Removes the bar and restores the cursor. May be called twice. */
  stop(): void;
}

const WORDS = {
  load: { verb: 'loading', unit: 'rows' },
  write: { verb: 'writing', unit: 'events' },
  evaluate: { verb: 'evaluating', unit: 'decisions' },
  replay: { verb: 'replaying', unit: 'events' },
  verify: { verb: 'verifying', unit: 'events' },
  simulate: { verb: 'simulating', unit: 'events' },
  follow: { verb: 'computing', unit: 'parts' },
} as const;

/** Work shorter than this shows nothing. */
const PATIENCE_MS = 1000;

/** A display for this run; one that does nothing where standard error is no terminal, or with `quiet`. */
export async function progressDisplay(io: Io, quiet: boolean): Promise<ProgressDisplay> {
  if (quiet || io.stderr.isTTY !== true || io.env.TERM === 'dumb') return { report: () => {}, stop: () => {} };
  const { SingleBar } = await import('cli-progress');
  const line = new Line();
  const bar = new SingleBar({
    stream: io.stderr,
    format: () => line.text(io.stderr.columns ?? 80),
    fps: 8,
    hideCursor: true,
    clearOnComplete: true,
    // Signals are handled in one place (interrupt.ts), which stops this bar.
    gracefulExit: false,
  });
  return start(bar, line, io.stderr);
}

function start(bar: SingleBar, line: Line, stream: Sink): ProgressDisplay {
  let running = false;
  let stopped = false;
  const timer = setTimeout(() => {
    if (stopped || line.now === null) return;
    running = true;
    bar.start(1, 0);
  }, PATIENCE_MS);
  timer.unref();
  return {
    report(progress) {
      line.set(progress);
      if (running && !stopped) bar.update(0);
      // Work that blocks the event loop lets no timer fire: start from here.
      else if (!stopped && Date.now() - line.began > PATIENCE_MS) {
        running = true;
        clearTimeout(timer);
        bar.start(1, 0);
      }
    },
    stop() {
      if (stopped) return;
      stopped = true;
      clearTimeout(timer);
      if (running) bar.stop();
      // cli-progress restores a saved cursor position after showing the cursor; show it again for terminals that save both.
      if (running) stream.write('\u001b[?25h');
    },
  };
}

/** The text of the bar: rate and time left are of the present phase. */
class Line {
  readonly began = Date.now();
  now: Progress | null = null;
  private phaseBegan = this.began;
  private phaseDone = 0;

  set(progress: Progress): void {
    if (progress.phase !== this.now?.phase) {
      this.phaseBegan = Date.now();
      this.phaseDone = progress.done;
    }
    this.now = progress;
  }

  text(columns: number): string {
    if (this.now === null) return '';
    const { phase, done, total } = this.now;
    const seconds = (Date.now() - this.phaseBegan) / 1000;
    const rate = seconds > 0 ? (done - this.phaseDone) / seconds : 0;
    const { verb, unit } = WORDS[phase];
    const speed = rate > 0 ? `  ${prefixed(rate)} ${unit}/s` : '';
    if (total === null || total <= 0) return `${verb}  ${prefixed(done)} ${unit}${speed}`.slice(0, columns - 1);
    const share = Math.min(1, done / total);
    const left = rate > 0 && share < 1 ? `  ${duration(Math.ceil((total - done) / rate))} left` : '';
    const tail = ` ${String(Math.floor(share * 100)).padStart(3)} %${speed}${left}`;
    const room = Math.min(30, columns - 1 - verb.length - 1 - tail.length);
    if (room < 5) return `${verb}${tail}`.slice(0, columns - 1);
    const full = Math.round(share * room);
    return `${verb} ${'█'.repeat(full)}${'░'.repeat(room - full)}${tail}`;
  }
}
