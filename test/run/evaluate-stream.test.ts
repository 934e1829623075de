import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { InputError, NotUniformError } from '#dist/errors.js';
import { type EvaluateOptions, evaluate } from '#dist/evaluate.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { streamOf } from '#dist/log/stream-of.js';
import { policyFunctions } from '#dist/policy/functions.js';
import { eachCase, inTwoSizes } from '../long.js';
import { bare, choicesFile, everyFamily, expectSame, folder, L, LOGS } from './evaluate-streams.js';
import { streamLog, watched } from './stream-log.js';

const FEW = [7, L];
const SIZES = [1, 7, 63, 64, 65, L - 1, L, L + 1];

interface By {
  readonly name: string;
  readonly blocks: EvaluateOptions['blocks'];
  readonly sizes: readonly number[];
  readonly long?: boolean;
}

const BY: readonly By[] = [
  { name: 'by runs', blocks: 10, sizes: FEW },
  { name: 'by runs, in more sizes', blocks: 10, sizes: SIZES, long: true },
  { name: 'by more runs than events', blocks: 1000, sizes: [7, 65], long: true },
  { name: 'by periods', blocks: { period: 3_600_000 }, sizes: [64] },
  { name: 'by periods, event by event', blocks: { period: 3_600_000 }, sizes: [1], long: true },
  { name: 'by users', blocks: { users: 9 }, sizes: [7, 64], long: true },
];

describe.each([...LOGS])('policies of every family on %s', (_, log) => {
  const policies = everyFamily(log);

  // Every batch size gives the result of the whole log.
  eachCase(BY, async ({ blocks, sizes }) => {
    const options = { policies, blocks, blockStatistics: true, device: 'cpu', threads: 1, verify: 5 } as const;
    const whole = await expectSame(log, options, sizes);
    expect(whole.warnings.some((text) => text.includes('has no arm for'))).toBe(true);
    expect(whole.warnings.some((text) => text.includes('for values that no event'))).toBe(true);
  });
});

describe('policies on a stream', () => {
  const log = streamLog({ events: L });
  const policies = everyFamily(log);

  const STOPS = [1, 5, 40, 1000].flatMap((validEvents) => [
    { name: `stop after T = ${validEvents} valid events where they do in memory`, validEvents, sizes: FEW, by: [64] },
    { name: `stop after T = ${validEvents}, in more sizes`, validEvents, sizes: SIZES, by: [7, 64], long: true },
  ]);
  eachCase(STOPS, async ({ validEvents, sizes, by }) => {
    const options = { policies, validEvents, device: 'cpu', threads: 1 } as const;
    const whole = await expectSame(log, options, sizes);
    await expectSame(log, { ...options, blocks: { period: 3_600_000 } }, by);
    expect(whole.policies.some(({ complete }) => complete === validEvents < 1000)).toBe(true);
  });

  it('refuses Algorithm 1 where blocks do not follow the log, as in memory', async () => {
    const options = { policies, validEvents: 5, blocks: { users: 4 }, device: 'cpu' } as const;
    await expect(evaluate({ log: streamOf(log), ...options, stretchEvents: 64 })).rejects.toThrow(/blocks by user/);
    const mixed = streamLog({ events: L, sorted: false });
    const byHour = { ...options, blocks: { period: 3_600_000 } };
    await expect(evaluate({ log: streamOf(mixed), ...byHour, stretchEvents: 64 })).rejects.toThrow(/blocks by period/);
  });

  inTwoSizes('asks functions with the same arguments', [FEW, SIZES], async (sizes) => {
    const set = [
      policyFunctions({
        sum: (context, candidates) =>
          candidates[Math.abs(Math.round(context.reduce((a, b) => a + b))) % candidates.length] ?? null,
        last: (_, candidates) => candidates.at(-1) ?? null,
      }),
    ];
    await expectSame(log, { policies: set, device: 'cpu', threads: 1 }, sizes);
    await expectSame(streamLog({ table: false }), { policies: set, device: 'cpu', threads: 1 }, [7, 64]);
  });

  it('names the event of the log where a function fails', async () => {
    const set = [policyFunctions({ bad: ([, , x]) => (x === log.contexts.values[2] ? 'nobody' : null) })];
    await expect(evaluate({ log: streamOf(log), policies: set, device: 'cpu', stretchEvents: 100 })).rejects.toThrow(
      /at event \d+/,
    );
  });

  it('refuses a log that is not uniform before anything is evaluated, with the same words', async () => {
    const arm = Uint32Array.from({ length: 4000 }, (_, t) => (t % 10 === 0 ? 1 : 0));
    const skewed = logFromColumns({ arms: 2, armIndex: arm, payoff: new Float64Array(4000) });
    const options = { policies: [{ family: 'constant' }], device: 'cpu' } as const;
    const message = async (run: Promise<unknown>) =>
      run.then(
        () => 'no error',
        (error: unknown) => {
          expect(error).toBeInstanceOf(NotUniformError);
          return (error as Error).message;
        },
      );
    const whole = await message(evaluate({ log: skewed, ...options }));
    expect(await message(evaluate({ log: streamOf(skewed), ...options, stretchEvents: 7 }))).toBe(whole);
    const assumed = { ...options, assumeUniform: true };
    await expectSame(skewed, assumed, [7, 1000]);
  });

  it('takes an empty log', async () => {
    await expectSame(streamLog({ events: 0 }), { policies: [{ family: 'constant' }], device: 'cpu' }, [1, 64]);
  });

  it('counts events and source rows of choices as in memory', async () => {
    const sourceRow = Uint32Array.from({ length: 100 }, (_, t) => 3 * t);
    const part = { ...streamLog({ events: 100 }), sourceRow };
    const counted = { ...part, source: { ...part.source, rows: L } };
    const set = (name: string) => {
      const file = join(folder, 'rows.json');
      writeFileSync(file, JSON.stringify([{ family: 'choices', file: name }]));
      return { policies: file, device: 'cpu' } as const;
    };
    await expectSame(counted, set(choicesFile(L)), [1, 33, 100]);
    await expectSame(counted, set(choicesFile(100)), [33]);
    const uncounted = { ...part, source: { ...part.source, rows: null } };
    await expectSame(uncounted, set(choicesFile(L)), [33]);
    const short = evaluate({ log: streamOf(uncounted), ...set(choicesFile(200)), stretchEvents: 33 });
    await expect(short).rejects.toThrow(/wrong number of rows/);
  });

  it('says what does not fit the memory, and takes as much as fits', async () => {
    const options = { log: streamOf(log), policies, device: 'cpu', threads: 1 } as const;
    await expect(evaluate({ ...options, memory: '1.1MB' })).rejects.toThrow(
      /needed: .* MB: the program .* tables of the log/,
    );
    const whole = bare(await evaluate({ ...options, memory: '64MB' }));
    expect(whole).toEqual(bare(await evaluate({ ...options, log })));
    for (const memory of ['much', '12', -1, Number.NaN])
      await expect(evaluate({ ...options, memory })).rejects.toThrow(InputError);
  });
});

describe('a run of policies that is interrupted', () => {
  const log = streamLog({ events: L, maxPayoff: 9 });
  const policies = everyFamily(log);
  const options = {
    policies,
    blocks: { period: 3_600_000 },
    validEvents: 20,
    verify: 4,
    device: 'cpu',
    threads: 1,
  } as const;

  /** Runs until `reads` batches were read, as if the process had ended there. */
  async function interrupted(resume: string, reads: number): Promise<void> {
    const stream = watched(log, (begun) => {
      if (begun === reads) throw new Error('the power is out');
    });
    const run = evaluate({ log: stream, ...options, stretchEvents: 32, resume, checkpointEvery: 0 });
    await expect(run).rejects.toThrow('the power is out');
  }

  it.each([2, 3, 5, 9, 11, 12, 15, 20])('ends with the result of one that is not, after %i reads', async (reads) => {
    const resume = join(folder, `resume-${reads}`);
    await interrupted(resume, reads);
    const resumed = await evaluate({ log: streamOf(log), ...options, stretchEvents: 50, resume });
    expect(bare(resumed)).toEqual(bare(await evaluate({ log, ...options })));
    // Nothing is left of it.
    expect(() => readFileSync(resume)).toThrow(/ENOENT/);
  });

  it.each([2, 6, 12, 17])('saves where its signal is aborted, at the end of the batch (read %i)', async (reads) => {
    const resume = join(folder, `aborted-${reads}`);
    const controller = new AbortController();
    const stream = watched(log, (begun) => {
      if (begun === reads - 1) controller.abort(new Error('enough'));
    });
    const { signal } = controller;
    const run = evaluate({ log: stream, ...options, stretchEvents: 32, resume, checkpointEvery: 1e6, signal });
    await expect(run).rejects.toThrow('enough');
    expect(readFileSync(resume).length).toBeGreaterThan(0);
    const resumed = await evaluate({ log: streamOf(log), ...options, stretchEvents: 50, resume });
    expect(bare(resumed)).toEqual(bare(await evaluate({ log, ...options })));
  });

  it('is not gone on with for another log, other policies or options, or from another file', async () => {
    const resume = join(folder, 'resume-other');
    await interrupted(resume, 15);
    const other = (more: Partial<EvaluateOptions>) => evaluate({ log, ...options, resume, ...more });
    await expect(other({ log: streamLog({ events: L }) })).rejects.toThrow(
      /belongs to another run[\s\S]*different log/,
    );
    await expect(other({ policies: [{ family: 'constant' }] })).rejects.toThrow(/different policies/);
    await expect(other({ validEvents: 21 })).rejects.toThrow(/different options/);
    const text = readFileSync(resume);
    writeFileSync(resume, text.subarray(0, text.length - 1));
    await expect(other({})).rejects.toThrow(/damaged/);
    writeFileSync(resume, 'my thesis\n');
    await expect(other({})).rejects.toThrow(/not a checkpoint of hindcast/);
    expect(readFileSync(resume, 'utf8')).toBe('my thesis\n');
  });
});
