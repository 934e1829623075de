import { afterAll } from 'vitest';
import { CpuBackend } from '#dist/engine/cpu/backend.js';
import { levelTests } from './levels.js';

const cpu = new CpuBackend({ threads: 1 });
afterAll(() => cpu.close());

levelTests('on the CPU', () => cpu);
