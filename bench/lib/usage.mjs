/** `node --import` of this: as the process ends, CPU seconds (all threads) and the most memory go to the file in HINDCAST_BENCH_USAGE. */

import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    const usage = { cpuSeconds: (user + system) / 1e6, peakBytes: process.resourceUsage().maxRSS * 1024 };
    writeFileSync(process.env.HINDCAST_BENCH_USAGE, JSON.stringify(usage));
  });
}
