/** Logs from the standard input: every format, through a pipe, and nothing left behind. */

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { Table, tableToIPC, vectorFromArray } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { evaluate } from '#dist/evaluate.js';
import { openDatabase, sqlPath } from '#dist/files/duckdb.js';
import { plainLog } from '../formats/yahoo/yahoo-world.js';
import { hindcast } from './in-process.js';
import { MAIN } from './spawn.js';

const folder = mkdtempSync(join(tmpdir(), 'stdin-'));
const path = (name: string) => join(folder, name);
const ROWS = Array.from({ length: 400 }, (_, i) => ({ arm: 'ab'[(i * 7 + (i >> 3)) % 2], click: i % 3 === 0 ? 1 : 0 }));
const CSV = `arm,click\n${ROWS.map(({ arm, click }) => `${arm},${click}\n`).join('')}`;
const JSONL = ROWS.map((row) => `${JSON.stringify(row)}\n`).join('');
const COLUMNS = ['--arm', 'arm', '--payoff', 'click'];
writeFileSync(path('set.json'), '[{"family":"constant"}]');
writeFileSync(path('log.csv'), CSV);

const ARROW = new Table({
  arm: vectorFromArray(ROWS.map(({ arm }) => arm)),
  click: vectorFromArray(ROWS.map(({ click }) => click)),
});
const DSJSON = ROWS.map(
  ({ arm, click }) =>
    `${JSON.stringify({
      _label_cost: -click,
      _label_probability: 0.5,
      _labelIndex: arm === 'a' ? 0 : 1,
      a: arm === 'a' ? [1, 2] : [2, 1],
      p: [0.5, 0.5],
      c: { u: { x: 1 }, _multi: [{ i: { k: 1 } }, { i: { k: 2 } }] },
    })}\n`,
).join('');
const database = await openDatabase(folder);
await database.run(
  `COPY (SELECT * FROM read_csv(${sqlPath(path('log.csv'))})) TO ${sqlPath(path('log.parquet'))} (FORMAT parquet)`,
);
database.close();
const PARQUET = readFileSync(path('log.parquet'));

const pipe = (content: string | Buffer): Readable & { isTTY?: boolean } => Readable.from([Buffer.from(content)]);
const inspect = (content: string | Buffer, argv: readonly string[], isTTY = false) =>
  hindcast(['inspect', ...argv, '--format', 'json', '--quiet'], { stdin: Object.assign(pipe(content), { isTTY }) });

describe('the standard input as a log', () => {
  it.each<[string, string | Buffer, string[]]>([
    ['csv', CSV, COLUMNS],
    ['csv', gzipSync(CSV), COLUMNS],
    ['jsonl', JSONL, COLUMNS],
    ['parquet', PARQUET, COLUMNS],
    ['arrow', Buffer.from(tableToIPC(ARROW, 'file')), COLUMNS],
    ['arrow', Buffer.from(tableToIPC(ARROW, 'stream')), COLUMNS],
    ['dsjson', DSJSON, []],
    ['dsjson', gzipSync(DSJSON), []],
    ['r6a', plainLog('r6a', 400).text, []],
    ['r6b', plainLog('r6b', 400).text, []],
    ['vw-cb', ROWS.map(({ arm, click }) => `${arm === 'a' ? 1 : 2}:${-click}:0.5 | x\n`).join(''), []],
  ])('%s reads as the file does', async (format, content, columns) => {
    writeFileSync(path('same'), content);
    const [piped, filed] = [
      await inspect(content, ['-', '--log-format', format, ...columns]),
      await inspect('', [path('same'), '--log-format', format, ...columns]),
    ];
    expect(piped).toMatchObject({ status: 0, stderr: '' });
    const named = piped.stdout.replaceAll(/(?<="files": \["|"path": ")-(?=")/g, path('same'));
    expect(named).toBe(filed.stdout);
    expect(JSON.parse(piped.stdout).events).toBe(400);
  });

  it('is converted, and the packed log read from there', async () => {
    const out = path('packed.parquet');
    const made = await hindcast(['convert', '-', out, '--log-format', 'csv', ...COLUMNS, '--quiet'], {
      stdin: pipe(CSV),
    });
    expect(made).toMatchObject({ status: 0, stderr: '' });
    const read = await inspect(readFileSync(out), ['/dev/stdin', '--log-format', 'packed']);
    expect(JSON.parse(read.stdout)).toMatchObject({ events: 400, files: ['-'] });
  });

  it('stands among files, also in batches', async () => {
    const argv = ['evaluate', path('log.csv'), '-', '--policies', path('set.json'), '--log-format', 'csv', ...COLUMNS];
    const both = await hindcast([...argv, '--memory', '700MB', '--format', 'json'], { stdin: pipe(CSV) });
    const result = JSON.parse(both.stdout);
    expect(result.log).toMatchObject({ events: 800, files: [path('log.csv'), '-'] });
    expect(result.warnings[0]).toMatch(/^1 file of the log is there twice.* file 2, -, is the same as /);
  });

  it.each<[string, string[], string | Buffer, boolean, RegExp]>([
    [
      'no format',
      ['-', ...COLUMNS],
      CSV,
      false,
      /^hindcast: -: standard input has no name that tells its format\n.*--log-format/,
    ],
    [
      'two of it',
      ['-', '/dev/stdin', '--log-format', 'csv'],
      CSV,
      false,
      /named twice, and comes once\n {2}got: {4}- and \/dev\/stdin/,
    ],
    ['a terminal', ['-', '--log-format', 'csv'], CSV, true, /^hindcast: -: standard input is a terminal/],
    ['nothing', ['-', '--log-format', 'csv'], '', false, /^hindcast: -: standard input is empty/],
    ['an unknown format', ['-', '--log-format', 'cvs', ...COLUMNS], CSV, false, /did you mean "csv"/],
    [
      'a bad row',
      ['-', '--log-format', 'csv', ...COLUMNS],
      CSV.replace('a,1', 'a,one'),
      false,
      /^hindcast: -, row 0 \(line 2\), column "click"/,
    ],
  ])('%s is an error that says so', async (_, argv, content, isTTY, message) => {
    const { status, stderr } = await inspect(content, argv, isTTY);
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
  });

  it('goes on from a checkpoint with the same events, and with no others', async () => {
    const state = path('state.ckpt');
    const stop = new AbortController();
    const cut = evaluate({
      log: { files: [path('log.csv')], mapping: { arm: 'arm', payoff: 'click' } },
      policies: path('set.json'),
      resume: state,
      stretchEvents: 50,
      signal: stop.signal,
      onProgress: ({ phase, done }) => {
        if (phase === 'evaluate' && done > 100) stop.abort();
      },
    });
    await expect(cut).rejects.toThrow();
    expect(existsSync(state)).toBe(true);
    const argv = ['evaluate', '-', '--log-format', 'csv', ...COLUMNS, '--policies', path('set.json')];
    const other = await hindcast([...argv, '--resume', state], { stdin: pipe(CSV.replace(/a,1/, 'b,1')) });
    expect(other.stderr).toMatch(/the checkpoint belongs to another run\n {2}got: {4}different log/);
    const again = await hindcast([...argv, '--resume', state, '--format', 'csv'], { stdin: pipe(CSV) });
    const whole = await hindcast([...argv, '--format', 'csv'], { stdin: pipe(CSV) });
    expect(again).toEqual(whole);
    expect(existsSync(state)).toBe(false);
  });

  it('leaves nothing behind when a signal ends the wait for more', async () => {
    const place = mkdtempSync(join(tmpdir(), 'spool-'));
    const child = spawn(process.execPath, [MAIN, 'inspect', '-', '--log-format', 'csv', ...COLUMNS], {
      env: { ...process.env, NO_COLOR: '1', TMPDIR: place },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.stdin.on('error', () => {});
    child.stdin.write(CSV);
    const spool = () => readdirSync(place).find((name) => /^hindcast-[0-9a-f]{16}$/.test(name));
    await expect.poll(spool, { timeout: 10_000 }).toBeDefined();
    const ended = new Promise((resolve) => child.once('exit', (status) => resolve(status)));
    child.kill('SIGTERM');
    expect(await ended).toBe(143);
    expect(stderr).toBe('hindcast: interrupted; no result was written\n');
    expect(readdirSync(place)).toEqual([]);
  });
});
