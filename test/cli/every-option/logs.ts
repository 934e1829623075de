/** Small logs for the options of the command line, written into the current folder. */

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { encodeNpy } from '#dist/policy/npy.js';

const L = 60;

/** Users u0 to u4 one after the other, each of whom is shown a and b in turn; an event per hour; an id that each event has to itself. */
const plain = Array.from({ length: L }, (_, t) => ({
  id: `e${t}`,
  ts: 1.6e9 + t * 3600,
  arm: 'ab'[Math.floor(t / 5) % 2],
  click: (t * 5) % 3 === 0 ? 1 : 0,
  prob: 0.5,
  who: `u${t % 5}`,
  dev: ['phone', 'desk'][(t >> 1) % 2],
  x: t % 7,
  could: 'a|b',
}));

const COLUMNS = Object.keys(plain[0]) as (keyof (typeof plain)[0])[];

/** A mapping of all of them. */
export const MAPPING = {
  ...{ arm: 'arm', payoff: 'click', propensity: 'prob', time: { column: 'ts', unit: 's' }, user: 'who' },
  context: { onehot: ['dev'], numeric: ['x'] },
};

type Row = Record<(typeof COLUMNS)[number], string | number>;

/** With each fault and oddity that an option is for: see the case of the options that say which column is what. */
function odd(): string {
  const rows: Row[] = plain.map((row) => ({ ...row, prob: '"0,5"' }));
  rows[3].dev = 'caf\u00e9';
  rows[4].dev = '';
  rows[5].x = '';
  rows[6].x = 'six';
  rows[8].click = '';
  rows[9].click = 2;
  // Out of order, an id once more, and two views in a row.
  [rows[20], rows[21]] = [rows[21], rows[20]];
  rows[30].id = rows[29].id;
  Object.assign(rows[41], { arm: rows[40].arm, who: 'u9' });
  rows[40].who = 'u9';
  return text(rows);
}

const text = (rows: readonly Row[]): string =>
  `${[COLUMNS, ...rows.map((row) => COLUMNS.map((column) => row[column]))].map((row) => row.join(',')).join('\n')}\n`;

const ADF = plain
  .map(({ arm, click }, t) => {
    const lines = ['a', 'b'].map(
      (name) => `${name === arm ? `0:${click}:0.5 ` : ''}|act id=${name} price:${1 + (t % 3)}`,
    );
    return [`shared |user who=u${t % 5} age:${t % 4}`, ...lines, ''].join('\n');
  })
  .join('\n');

function openBandit(): void {
  mkdirSync('men');
  const features = [0, 1, 2, 3].map((f) => `user_feature_${f}`);
  const head = `,timestamp,item_id,position,click,propensity_score,${features},user-item_affinity_0,user-item_affinity_1`;
  const rows = plain.map(
    ({ arm, click }, t) =>
      `${t},2019-11-24 00:00:${t % 60 < 10 ? '0' : ''}${t % 60}+00:00,${arm === 'a' ? 0 : 1},${1 + ((t >> 2) % 3)},${click},0.5,p,q,r,s${t % 2},0,${t % 2}`,
  );
  writeFileSync('men/men.csv', `${[head, ...rows].join('\n')}\n`);
  writeFileSync('men/item_context.csv', ',item_id,item_feature_0\n0,0,0.5\n1,1,-1\n');
}

export function writeLogs(): void {
  slurm();
  writeFileSync('plain.csv', text(plain));
  writeFileSync('plain.json', JSON.stringify(MAPPING));
  writeFileSync('plain.jsonl', `${plain.map((row) => JSON.stringify(row)).join('\n')}\n`);
  writeFileSync('odd.csv', Buffer.from(odd(), 'latin1'));
  writeFileSync('log.vw', ADF);
  openBandit();
  writeFileSync('set.json', '[{ "family": "constant" }, { "family": "uniform", "seed": 1 }]');
  writeFileSync(
    'q.npy',
    encodeNpy(
      Float64Array.from({ length: 2 * L }, (_, i) => 0.25 + 0.5 * (i % 2)),
      [L, 2],
    ),
  );
  // A row for each value of x.
  writeFileSync(
    'q-of-x.npy',
    encodeNpy(
      Float64Array.from({ length: 14 }, (_, i) => 0.25 + 0.05 * (i % 2) * (i >> 1)),
      [7, 2],
    ),
  );
  writeFileSync('learners.json', '[{ "algorithm": "random" }, { "algorithm": "epsilon-greedy", "epsilon": 0.1 }]');
}

/** Slurm's commands in a folder of their own, where all jobs end at once. */
function slurm(): void {
  mkdirSync('slurm');
  const merge = 'case "$*" in *merge.sh) : > sent/merged;; esac';
  for (const [name, text] of Object.entries({ sbatch: `${merge}; echo 7`, squeue: '', scancel: '' })) {
    writeFileSync(`slurm/${name}`, `#!/bin/sh\n${text}\n`);
    chmodSync(`slurm/${name}`, 0o755);
  }
}
