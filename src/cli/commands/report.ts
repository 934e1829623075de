/** `hindcast report`: a saved result in, a page to send out. */

import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { Command } from 'commander';
import { InputError } from '../../errors.js';
import { fileError } from '../../files/file-error.js';
import { outOption } from '../engine-options.js';
import { type Io, isStandardOutput } from '../io.js';
import { withOutput } from '../output.js';
import { PICTURES_OPTION, pictureFolder, writePictures } from '../pictures.js';
import { isStandardInput } from '../standard-input.js';

interface Options {
  out?: string;
  pictures?: string;
}

/** The command, ready to be parsed. */
export function reportCommand(io: Io): Command {
  return new Command('report')
    .summary('make a page to send from a saved result')
    .description(
      'Makes one HTML file of a result that evaluate or replay wrote as JSON: the answer, pictures, the whole table, and where it came from. It needs no network and nothing beside it.',
    )
    .argument('<result.json>', 'result of evaluate or replay, as --format json writes it (-: standard input)')
    .addOption(outOption())
    .option(...PICTURES_OPTION)
    .action((file: string, options: Options) => reportAction(file, options, io));
}

async function reportAction(file: string, { out, pictures }: Options, io: Io): Promise<void> {
  checkOut(out, io);
  const inputs = isStandardInput(file) ? [] : [file];
  const text = await textOf(file, io);
  const { savedReport } = await import('../../report/html/saved-page.js');
  const report = await savedReport(text, file);
  await pictureFolder(pictures);
  await withOutput(out, inputs, io, async () => report.page);
  if (pictures !== undefined) await writePictures(pictures, report.pictures, io);
}

/** @throws InputError where a terminal would have to show it, or the ending says that it is something else. */
function checkOut(out: string | undefined, io: Io): void {
  if (isStandardOutput(out)) {
    if (io.stdout.isTTY !== true) return;
    throw new InputError({
      problem: 'a report is not for a terminal, which standard output is',
      hint: '--out report.html',
    });
  }
  const ending = extname(out).toLowerCase();
  if (['.json', '.csv', '.parquet', '.txt', '.svg', '.pdf'].includes(ending))
    throw new InputError({
      file: out,
      problem: 'the ending of --out says another format than HTML, which a report is',
      got: ending,
      needed: '.html',
      hint: '--out report.html',
    });
}

/** @throws InputError where there is no such file, or it is no text. */
async function textOf(file: string, { stdin, signal }: Io): Promise<string> {
  let bytes: Buffer;
  if (isStandardInput(file)) {
    const parts: Buffer[] = [];
    for await (const part of stdin) {
      signal.throwIfAborted();
      parts.push(Buffer.from(part as Uint8Array | string));
    }
    bytes = Buffer.concat(parts);
  } else bytes = await bytesOf(file);
  if (bytes.length === 0)
    throw new InputError({ file, problem: 'the file is empty', needed: 'a result of evaluate or replay as JSON' });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new InputError(
      {
        file,
        problem: 'this is no text, and a result is JSON',
        got: `bytes ${bytes.subarray(0, 4).toString('hex')}… at its beginning`,
        needed: 'a result of evaluate or replay, as --format json writes it',
        hint: 'results as Parquet or packed files are not read; unpack it, or write one with --out result.json',
      },
      { cause },
    );
  }
}

async function bytesOf(file: string): Promise<Buffer> {
  const found = await stat(file).catch((error: unknown) => {
    throw fileError(file, error);
  });
  if (found.isDirectory())
    throw new InputError({
      file,
      problem: 'is a directory',
      needed: 'the file of a result',
      hint: 'hindcast report result.json --out report.html',
    });
  try {
    return await readFile(file);
  } catch (error) {
    throw fileError(file, error);
  }
}
