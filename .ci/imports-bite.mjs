// Proves that the import rules bite: writes one wrong import per rule into a copy of src and expects each to be found.
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Rule expected, file, wrong line. */
const WRONG = [
  ['no-cycles', 'src/random/threefry.ts', "import '../errors.js';"],
  [
    'no-cycles',
    'src/errors.ts',
    "import type { STREAM } from './random/threefry.js';\nexport type Bite = typeof STREAM;",
  ],
  ['random-imports-one-way', 'src/random/threefry.ts', "import '../estimate/blocks/blocks.js';"],
  ['files-imports-one-way', 'src/files/exit.ts', "import '../log/cells.js';"],
  ['printable-imports-one-way', 'src/printable.ts', "import './version.js';"],
  ['words-imports-one-way', 'src/words.ts', "import './version.js';"],
  ['errors-imports-one-way', 'src/errors.ts', "import './version.js';"],
  ['archive-imports-one-way', 'src/archive.ts', "import './random/threefry.js';"],
  ['version-imports-one-way', 'src/version.ts', "import './errors.js';"],
  [
    'estimate-imports-one-way',
    'src/estimate/plan.ts',
    "import type { EventLog } from '../log/event-log.js';\nexport type Bite = EventLog;",
  ],
  [
    'log-imports-one-way',
    'src/log/cells.ts',
    "import type { CompiledPolicies } from '../policy/compiled.js';\nexport type Bite = CompiledPolicies;",
  ],
  ['policy-imports-one-way', 'src/policy/npy.ts', "import '../engine/worklist.js';"],
  ['gpu-imports-one-way', 'src/gpu/context.ts', "import '../log/cells.js';"],
  ['options-imports-one-way', 'src/options/record-of.ts', "import '../words.js';"],
  ['packed-imports-one-way', 'src/packed/layout.ts', "import '../open/open.js';"],
  ['formats-imports-one-way', 'src/formats/named.ts', "import '../open/open.js';"],
  ['open-imports-one-way', 'src/open/open.ts', "import '../run/survey.js';"],
  ['engine-imports-one-way', 'src/engine/worklist.ts', "import '../report/json.js';"],
  ['names-imports-one-way', 'src/names/order.ts', "import '../errors.js';"],
  ['run-imports-one-way', 'src/run/survey.ts', "import '../evaluate.js';"],
  ['report-imports-one-way', 'src/report/json.ts', "import '../cli/io.js';"],
  ['simulate-imports-one-way', 'src/simulate/draws.ts', "import '../engine/worklist.js';"],
  ['evaluate-imports-one-way', 'src/evaluate.ts', "import './gpu/context.js';"],
  ['evaluate-options-imports-one-way', 'src/evaluate-options.ts', "import './cli/io.js';"],
  ['evaluate-opened-imports-one-way', 'src/evaluate-opened.ts', "import './cli/io.js';"],
  ['replay-options-imports-one-way', 'src/replay-options.ts', "import './cli/io.js';"],
  ['learner-imports-one-way', 'src/learner/bite.ts', "import '../engine/worklist.js';"],
  ['reward-model-imports-one-way', 'src/reward-model/folds.ts', "import '../engine/worklist.js';"],
  ['replay-imports-one-way', 'src/replay.ts', "import './cli/io.js';"],
  ['schema-files-imports-one-way', 'src/schema-files.ts', "import './index.js';"],
  ['cli-imports-one-way', 'src/cli/io.ts', "import '../index.js';"],
  ['index-imports-one-way', 'src/index.ts', "import './gpu/context.js';"],
  ['cluster-imports-one-way', 'src/cluster/shell.ts', "import '../words.js';"],
  ['every-room-has-a-rule', 'src/elsewhere/new.ts', "import '../errors.js';"],
  ['gpu-is-behind-engine', 'src/engine/worklist.ts', "import '../gpu/context.js';"],
  ['run-knows-results-by-type', 'src/run/survey.ts', "import '../report/result.js';"],
  ['node-at-the-edges', 'src/log/cells.ts', "import 'node:fs';"],
  ['node-at-the-edges', 'src/estimate/plan.ts', "export const bite = import('node:fs');"],
  ['node-on-demand-in-cpu-engine', 'src/engine/cpu/worker-pool.ts', "import 'node:fs';"],
  ['native-modules-at-the-edges', 'src/evaluate.ts', "export const bite = import('@duckdb/node-api');"],
  ['native-modules-load-lazily', 'src/gpu/device.ts', "import 'webgpu';"],
  ['terminal-libraries-in-cli-and-report', 'src/log/cells.ts', "import 'commander';"],
  ['no-development-packages', 'src/log/cells.ts', "import 'fast-check';"],
  ['everything-resolves', 'src/log/cells.ts', "import './nowhere.js';"],
];

/** Every violation as `rule file`; a cycle once for each file on it. */
function violations(folder) {
  const depcruise = join(folder, 'node_modules/.bin/depcruise');
  const { stdout, stderr } = spawnSync(depcruise, ['--config', '.ci/imports.cjs', '--output-type', 'json', 'src'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (!stdout.startsWith('{')) throw new Error(`dependency-cruiser failed: ${stderr || stdout}`);
  return JSON.parse(stdout).summary.violations.flatMap(({ rule, from, cycle }) =>
    [from, ...(cycle ?? []).map(({ name }) => name)].map((file) => `${rule.name} ${file}`),
  );
}

const copy = mkdtempSync(join(tmpdir(), 'hindcast-imports-'));
try {
  for (const name of ['src', 'package.json', 'tsconfig.json', '.ci']) {
    cpSync(name, join(copy, name), { recursive: true });
  }
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
  for (const [, file, line] of WRONG) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    appendFileSync(join(copy, file), `\n${line}\n`);
  }
  const found = new Set(violations(copy));
  const missed = WRONG.filter(([rule, file]) => !found.has(`${rule} ${file}`));
  const { forbidden } = createRequire(import.meta.url)('./imports.cjs');
  const untried = forbidden.map(({ name }) => name).filter((name) => !WRONG.some(([rule]) => rule === name));
  if (missed.length > 0 || untried.length > 0) {
    for (const [rule, file, line] of missed) console.error(`not found by ${rule}: ${line.split('\n')[0]} in ${file}`);
    for (const name of untried) console.error(`no wrong import tries the rule ${name}`);
    process.exitCode = 1;
  } else {
    console.log(`all ${WRONG.length} wrong imports were found`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
