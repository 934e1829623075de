import { describe, expect, test } from 'vitest';
import { ESTIMATOR_NAMES } from '#dist/estimate/estimators/index.js';
import { INTERVAL_NAMES } from '#dist/estimate/interval/index.js';
import { FORMAT_NAMES } from '#dist/formats/index.js';
import { displayWidth, wrapLines } from '#dist/report/text.js';
import { hindcast } from './in-process.js';
import { start } from './spawn.js';

const COMMANDS = [
  ...['evaluate', 'replay', 'merge', 'submit', 'jobs', 'cancel', 'report', 'inspect', 'convert', 'plan', 'simulate'],
  'devices',
];

describe('usage', () => {
  test('--help lists every command, --version is that of package.json', async () => {
    const help = await hindcast(['--help']);
    expect(help.status).toBe(0);
    for (const command of COMMANDS) expect(help.stdout).toContain(command);
    expect((await hindcast(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.each(COMMANDS)('%s --help fits 80 columns and loads neither DuckDB nor Dawn', async (command) => {
    const { status, stdout } = await hindcast([command, '--help']);
    expect(status).toBe(0);
    for (const line of stdout.split('\n')) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
  });

  test('evaluate --help lists every format, estimator and interval there is', async () => {
    const { stdout } = await start(['evaluate', '--help']).ended;
    const words = stdout.split(/[\s,]+/);
    expect(words).toEqual(expect.arrayContaining([...FORMAT_NAMES, ...ESTIMATOR_NAMES, ...INTERVAL_NAMES]));
  });

  test.each([
    [['evalute'], /unknown command 'evalute' \(Did you mean evaluate\?\)/],
    [['evaluate', 'log.csv', '--polices', 's.json'], /unknown option '--polices' \(Did you mean --policies\?\)/],
    [['evaluate', 'log.csv', '--scale', 'max'], /unknown option '--scale', which is one of replay\n/],
    [['plan', '--arm', '20'], /unknown option '--arm' \(Did you mean --arms\?\)/],
    [['evaluate', 'log.csv'], /--policies SET\.json is required/],
    [['evaluate'], /missing required argument 'log'/],
    [['evaluate', 'l', '--policies'], /argument missing/],
    [
      ['evaluate', 'l', '--policies', 's', '--arm', 'a', '--mapping', 'm'],
      /'--arm <column>' cannot be used with .*'--mapping/,
    ],
    [['evaluate', 'l', '--policies', 's', '--blocks', '3', '--block-user', '4'], /cannot be used with/],
    [['evaluate', 'l', '--policies', 's', '--device', 'gpx'], /'gpx' is invalid\. Allowed choices are auto, gpu, cpu/],
    [['evaluate', 'l', '--policies', 's', '--format', 'xml'], /got: {4}xml\n {2}needed: one of table, json, csv/],
    [['plan', '--arms', '20'], /nothing was asked/],
    [['plan', '--arms', '20', '--error', '0.01'], /--error and --value go together/],
    [['plan', '--arms', '20', '--error', '0.01', '--value', '7'], /value is not usable\n {2}got: {4}7/],
    [['plan', 'extra', '--arms', '20'], /too many arguments/],
  ])('%j is a usage error with status 2', async (argv, message) => {
    const { status, stdout, stderr } = await hindcast(argv);
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^hindcast: /);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('no command at all shows the help, as an error', async () => {
    const { status, stderr } = await hindcast([]);
    expect(status).toBe(2);
    expect(stderr).toContain('Usage: hindcast');
  });

  test('--debug adds the stack trace', async () => {
    const { status, stderr } = await hindcast(['plan', '--arms', '20', '--debug']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/nothing was asked[\s\S]*^\s+at /m);
  });

  test('colours only on a terminal without NO_COLOR', async () => {
    const argv = ['plan', '--arms', '20', '--valid-events', '100'];
    const coloured = (await hindcast(argv, { tty: true })).stdout;
    expect(coloured).toContain('\u001b[');
    expect((await hindcast(argv)).stdout).not.toContain('\u001b[');
    expect((await hindcast(argv, { tty: true, env: { NO_COLOR: '1' } })).stdout).not.toContain('\u001b[');
    expect((await hindcast(argv, { tty: true, env: { TERM: 'dumb' } })).stdout).not.toContain('\u001b[');
    expect(coloured.replaceAll(/\u001b\[\d+m/g, '')).toBe((await hindcast(argv)).stdout);
  });

  test('as a process: status, streams and a quick start', async () => {
    const began = Date.now();
    const { status, stdout, stderr } = await start(['--version']).ended;
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^\d/);
    // Loading DuckDB and Dawn alone takes about this long; the bound is loose because CI machines are busy.
    expect(Date.now() - began).toBeLessThan(5000);
    expect((await start(['evalute']).ended).status).toBe(2);
  });

  test('a reader that goes away is not an error', async () => {
    const { child, ended } = start(['plan', '--arms', '20', '--valid-events', '100']);
    child.stdout?.destroy();
    expect(await ended).toMatchObject({ status: 0, stderr: '' });
  });
});

describe('messages', () => {
  const hint = `${'long_name_of_a_column,'.repeat(6)}広告バナー`;
  const argv = ['evaluate', 'log.csv', '--policies', 'p.json', '--onehot', hint, '--arm'];
  test.each([80, 100, 120, 200])('on a terminal of %i columns fit it', async (columns) => {
    const missing = `/tmp/${'folder of many names/'.repeat(9)}${'広告'.repeat(70)}.csv`;
    const { status, stderr } = await hindcast(['inspect', missing], { tty: true, columns, env: { NO_COLOR: '1' } });
    expect(status).toBe(2);
    const lines = stderr.split('\n');
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) expect(displayWidth(line), line).toBeLessThanOrEqual(Math.min(120, columns));
    // What goes on below stands under what it belongs to.
    expect(lines[1]).toMatch(/^ {10}\S/);
    expect(stderr.replaceAll(/\s/g, '')).toContain('広告'.repeat(70));
  });

  test('leave commands in one line, so that what is copied is the whole command', async () => {
    const file = `${'a folder of many names/'.repeat(9)}log.csv`;
    const { status, stderr } = await hindcast(['convert', file], { tty: true, columns: 80, env: { NO_COLOR: '1' } });
    expect(status).toBe(2);
    expect(stderr).toContain(`hindcast convert ${file} LOG.parquet\n`);
    const interrupted = `  to go on: hindcast evaluate ${'day.csv '.repeat(20)}--policies p.json --resume state --estimator ips`;
    expect(wrapLines(interrupted, 80)).toBe(interrupted);
  });

  test('in a pipe are as they are, whatever its width', async () => {
    const [narrow, wide] = await Promise.all([80, 200].map((columns) => hindcast(argv, { columns })));
    expect(narrow.stderr).toBe(wide.stderr);
    const missing = `/tmp/${'a'.repeat(200)}.csv`;
    expect((await hindcast(['inspect', missing])).stderr).toContain(missing);
  });
});
