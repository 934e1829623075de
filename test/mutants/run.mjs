/**
 * Puts one fault after the other into a copy of the sources and asks the short tests to find it:
 *
 *     node test/mutants/run.mjs [--write] [PART OF A NAME…]
 *
 * after `npm run build`. Ends with status 1 where a fault is not found; `--write` renews the table of README.md.
 */

import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { MUTANTS } from './mutants.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const LIMIT_MS = 900_000;
const words = process.argv.slice(2).filter((word) => word !== '--write');
const wanted = MUTANTS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
if (wanted.length === 0) throw new Error(`no fault has one of these in its name: ${words.join(', ')}`);

/** A copy of the tree that shares the packages. */
function makeCopy() {
  const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
  const listed = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const files = listed.stdout.toString().trim().split('\n');
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  cpSync(join(root, 'dist'), join(copy, 'dist'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** Builds the part of dist that a source file becomes. */
function build(copy, file) {
  const generate = (script) => {
    const { status, stderr } = spawnSync(process.execPath, [script], { cwd: copy });
    if (status !== 0) throw new Error(`${script}: ${stderr}`);
  };
  let source = file;
  if (file.endsWith('.wgsl')) {
    generate('shaders/build.mjs');
    source = 'src/gpu/wgsl.generated.ts';
  } else if (file.endsWith('.as.ts')) {
    generate('src/engine/cpu/wasm/build.mjs');
    source = file.replace('.as.ts', '.generated.ts');
  }
  const { config } = ts.readConfigFile(join(copy, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, copy);
  const text = readFileSync(join(copy, source), 'utf8');
  const compilerOptions = { ...options, module: ts.ModuleKind.ESNext, sourceMap: false };
  const { outputText } = ts.transpileModule(text, { compilerOptions });
  writeFileSync(join(copy, source.replace(/^src/, 'dist').replace(/\.ts$/, '.js')), outputText);
}

/** Runs short tests. @returns the first that failed; `null`: none; else why there is no answer. */
async function firstFailure(copy, { tests, only }) {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const argv = ['run', '--tags-filter=!long', '--bail=1', '--reporter=json', `--outputFile.json=${report}`, ...tests];
  if (only !== undefined) argv.push('-t', only);
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [vitest, ...argv], { cwd: copy, stdio: 'ignore' });
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  if (child.signalCode !== null) return { name: 'no end' };
  const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  for (const { name, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === 'failed');
    if (failed !== undefined) return { file: name.slice(copy.length + 1), name: failed.fullName };
  }
  const unrun = testResults.find(({ status }) => status === 'failed');
  if (unrun !== undefined || numPassedTests === 0)
    throw new Error(`${unrun?.name}: ${unrun?.message ?? 'no test ran'}`);
  return null;
}

const copy = makeCopy();
const survivors = [];
const rows = [];
try {
  for (const mutant of wanted) {
    const { name, file, from, to } = mutant;
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    // The first place is meant, and must be there.
    if (!text.includes(from)) throw new Error(`${name}: ${file} has no ${JSON.stringify(from)}`);
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
    const began = Date.now();
    let caught;
    try {
      build(copy, file);
      caught = await firstFailure(copy, mutant);
    } finally {
      writeFileSync(path, text);
      build(copy, file);
    }
    if (caught === null) survivors.push(name);
    const by =
      caught === null ? '**nothing**' : caught.file === undefined ? caught.name : `${caught.file}: ${caught.name}`;
    rows.push(`| ${name} | \`${file}\` | ${by.replaceAll('|', '\\|')} |`);
    console.log(`${Math.round((Date.now() - began) / 1000)} s  ${name}: ${by}`);
  }
  // Without a fault all of these tests pass, or what found the faults was something else.
  const tests = [...new Set(wanted.flatMap((mutant) => mutant.tests))];
  const broken = survivors.length === wanted.length ? null : await firstFailure(copy, { tests });
  if (broken !== null) throw new Error(`without a fault ${broken.file} fails: ${broken.name}`);
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${wanted.length - survivors.length} of ${wanted.length} faults found`);
if (survivors.length > 0) {
  console.log(`not found: ${survivors.join('; ')}`);
  process.exitCode = 1;
}
if (process.argv.includes('--write')) {
  const readme = join(root, 'test/mutants/README.md');
  const head = readFileSync(readme, 'utf8').split('\n| fault')[0];
  writeFileSync(readme, `${head}\n| fault | in | found by |\n| --- | --- | --- |\n${rows.join('\n')}\n`);
}
