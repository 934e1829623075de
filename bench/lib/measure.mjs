/** Timing with tinybench, and CPU seconds of the whole process (threads and software adapters included) beside it. */

import { Bench } from 'tinybench';

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return null;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Runs async tasks one after another and returns, per name, wall and CPU seconds. One run first, not counted, compiles
 * kernels and starts threads.
 *
 * @param tasks Name → function.
 * @param samples At least so many runs.
 * @param seconds At least so many seconds of runs.
 */
export async function measure(tasks, { samples = 3, seconds = 0, warm = true } = {}) {
  const bench = new Bench({
    iterations: samples,
    time: seconds * 1000,
    warmup: false,
    retainSamples: true,
    throws: true,
  });
  const cpu = {};
  for (const [name, run] of Object.entries(tasks)) {
    cpu[name] = [];
    let before;
    bench.add(name, run, {
      async: true,
      beforeAll: async () => {
        if (warm) await run();
      },
      beforeEach: () => {
        before = process.cpuUsage();
      },
      afterEach: () => {
        const { user, system } = process.cpuUsage(before);
        cpu[name].push((user + system) / 1e6);
      },
    });
  }
  await bench.run();
  return Object.fromEntries(
    bench.tasks.map(({ name, result }) => {
      if (result.state !== 'completed') throw result.error ?? new Error(`${name}: ${result.state}`);
      const { latency } = result;
      return [
        name,
        {
          seconds: latency.p50 / 1000,
          fastest: latency.min / 1000,
          slowest: latency.max / 1000,
          samples: latency.samplesCount,
          cpuSeconds: median(cpu[name]),
        },
      ];
    }),
  );
}

/** 12,345 → `12.3 k`. */
export function short(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  const units = ['', 'k', 'M', 'G', 'T', 'P'];
  let unit = 0;
  let scaled = value;
  while (Math.abs(scaled) >= 999.5 && unit < units.length - 1) {
    scaled /= 1000;
    unit++;
  }
  return `${Number(scaled.toPrecision(digits))} ${units[unit]}`.trim();
}

/** Rows of cells as aligned text, numbers to the right. */
export function table(head, rows) {
  const all = [head, ...rows.map((row) => row.map(String))];
  const widths = head.map((_, c) => Math.max(...all.map((row) => row[c].length)));
  return all
    .map((row) =>
      row
        .map((cell, c) => (/^[\d–]/.test(cell) ? cell.padStart(widths[c]) : cell.padEnd(widths[c])))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
