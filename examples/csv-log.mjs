// A CSV of one's own: a mapping says which column is what. Run: node examples/csv-log.mjs
// (or with the name of a file to keep the log, e.g. banners.csv)
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evaluate, toTable } from 'hindcast';

// A shop that showed one of three banners at random, 6,000 times. (Your log already exists; this writes one.)
const folder = await mkdtemp(join(tmpdir(), 'hindcast-example-'));
const file = process.argv[2] ?? join(folder, 'banners.csv');
let state = 1;
const random = () => {
  state = (state * 48271) % 2147483647;
  return state / 2147483647;
};
const sales = { sale: 0.05, new: 0.08, gift: 0.06 };
const lines = Array.from({ length: 6000 }, () => {
  const banner = ['sale', 'new', 'gift'][Math.floor(random() * 3)];
  const device = random() < 0.6 ? 'phone' : 'desktop';
  const visits = Math.floor(random() * 10);
  // Phones prefer the sale, frequent visitors the gift.
  const rate =
    sales[banner] + (device === 'phone' && banner === 'sale' ? 0.06 : 0) + (banner === 'gift' ? visits / 90 : 0);
  return `${banner},${device},${visits},${random() < rate ? 1 : 0}`;
});
await writeFile(file, ['banner,device,visits,bought', ...lines, ''].join('\n'));

// Arms sort by code point: gift, new, sale. Context: device=desktop, device=phone, visits, then the constant 1.
const result = await evaluate({
  log: {
    files: [file],
    mapping: {
      arm: 'banner',
      payoff: 'bought',
      context: { onehot: ['device'], numeric: ['visits'] },
      intercept: true,
    },
  },
  policies: [
    { family: 'constant' },
    {
      family: 'linear',
      names: ['gift after 4 visits'],
      weights: [
        [
          [0, 0, 1, -4], // gift: visits above 4
          [0.5, 0, 0, 0], // new: desktop
          [0, 0.5, 0, 0], // sale: phone
        ],
      ],
    },
  ],
});
console.log(toTable(result));
await rm(folder, { recursive: true });
