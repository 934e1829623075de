/**
 * `node test/large/uniformity-cost.mjs LOG… [--mapping FILE]`: CPU seconds and memory of reading a log, and of testing whether
 * its logging was uniform.
 */

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openLog, parseMapping } from '#dist/index.js';
import { testUniformity } from '#dist/log/checks/uniformity.js';

const { values, positionals } = parseArgs({ options: { mapping: { type: 'string' } }, allowPositionals: true });

const used = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const held = () => {
  globalThis.gc?.();
  const { rss, arrayBuffers, heapUsed } = process.memoryUsage();
  return { rss: rss / 2 ** 20, bytes: (arrayBuffers + heapUsed) / 2 ** 20 };
};

const start = used();
const mapping = values.mapping && parseMapping(JSON.parse(readFileSync(values.mapping, 'utf8')));
const log = await openLog({ files: positionals, mapping });
const read = used() - start;
const before = held();
const from = used();
const { detail } = testUniformity(log);
const tested = used() - from;
const after = held();
const number = (x) => x.toFixed(2);
console.log(`${log.events.toLocaleString('en')} events; ${detail}`);
console.log(`reading ${number(read)} s CPU; testing ${number(tested)} s CPU, ${number((100 * tested) / read)} % of it`);
console.log(`resident ${number(before.rss)} MB after reading, ${number(after.rss - before.rss)} MB more after testing`);
console.log(`arrays and heap ${number(before.bytes)} MB, ${number(after.bytes - before.bytes)} MB more`);
