/** Running the peers that are written in Python. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** An interpreter with a module, or `null`. */
export function python(module, candidates, check = '') {
  for (const candidate of candidates) {
    const found = spawnSync(candidate, ['-c', `import ${module}\n${check}`], { stdio: 'ignore' });
    if (found.status === 0) return candidate;
  }
  return null;
}

/** Debian's, whose numpy goes with a fast BLAS (`install-numpy.sh`), or any other with a numpy. */
export const pythonWithNumpy = () => python('numpy', ['/usr/bin/python3', 'python3']);

/** Environment without the BLAS settings of this machine, with one kernel family of OpenBLAS forced. */
export function blasEnvironment(core) {
  const { OPENBLAS_CORETYPE, OPENBLAS_L2_SIZE, OPENBLAS_NUM_THREADS, OMP_NUM_THREADS, ...rest } = process.env;
  return { ...rest, PYTHONDONTWRITEBYTECODE: '1', ...(core !== null && { OPENBLAS_CORETYPE: core }) };
}

/**
 * Kernel families to try. An OpenBLAS older than the processor falls back to its slowest one, so the peer gets whichever
 * of those that the processor can run is fastest.
 */
export function blasCores() {
  let flags = '';
  try {
    flags = /^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? '';
  } catch {
    return [null];
  }
  const has = (flag) => ` ${flags} `.includes(` ${flag} `);
  return [
    null,
    ...(has('avx2') && has('fma') ? ['Haswell'] : []),
    ...(has('avx512f') && has('avx512vl') ? ['SkylakeX'] : []),
    ...(has('avx512_bf16') ? ['Sapphirerapids'] : []),
  ];
}

/** The JSON of a script's last line; `null` where it failed, or took longer than `seconds`. */
export function runPython(interpreter, script, args, env, seconds) {
  const { status, stdout } = spawnSync(interpreter, [here(script), ...args], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: here('.'),
    timeout: seconds === undefined ? undefined : seconds * 1000,
  });
  return status === 0 ? JSON.parse(stdout.trim().split('\n').at(-1)) : null;
}
