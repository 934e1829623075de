/** Loads, streams or converts one log and prints time and memory as JSON. Arguments: step, mapping as JSON, file, output. */

import { convert } from '../../dist/log/convert.js';
import { openPacked } from '../../dist/log/packed/read.js';
import { readLog } from '../../dist/log/read.js';

const STRETCH = 65536;

const [step, text, file, out] = process.argv.slice(2);
const mapping = file.endsWith('.packed') ? undefined : JSON.parse(text);
const started = performance.now();
let events = 0;
if (step === 'load') events = (await readLog([file], { mapping })).events;
else if (step === 'convert') events = (await convert({ files: [file], mapping }, out, { memory: 4e8 })).events;
else {
  const stream = await openPacked(file);
  for (let from = 0; from < stream.events; from += STRETCH)
    events += (await stream.read(from, Math.min(stream.events, from + STRETCH))).events;
  await stream.close();
}
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage();
console.log(
  JSON.stringify({
    events,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    peakBytes: process.resourceUsage().maxRSS * 1024,
  }),
);
