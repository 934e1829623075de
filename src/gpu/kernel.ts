/**
 * One declaration per kernel: parameters, bindings and constants. The WGSL declarations, the bind group layout and
 * the packing of the uniform buffer are all derived from it, so that they cannot disagree.
 */

import { EngineError } from '../errors.js';
import { WGSL } from './wgsl.generated.js';

type ScalarType = 'u32' | 'f32';

/** A file below shaders/, e.g. `policy/linear.wgsl`. */
export type ShaderFile = keyof typeof WGSL;

export interface KernelDefinition<
  Params extends Record<string, ScalarType> = Record<string, ScalarType>,
  Bindings extends string = string,
> {
  readonly source: ShaderFile;
  /** Further files placed before it. */
  readonly libraries?: readonly ShaderFile[];
  /** More text before it, made for a pipeline's constants: loops written out, where no compiler can be trusted to. */
  readonly generated?: (constants: KernelConstants) => string;
  /** Whether a pipeline of these constants takes the WGSL extension `subgroups`. */
  readonly subgroups?: (constants: KernelConstants) => boolean;
  /** Fields of the uniform `params`, in order. */
  readonly params: Params;
  /** Storage buffers in binding order, from binding 1. */
  readonly bindings: Readonly<Record<Bindings, { readonly type: string; readonly write: boolean }>>;
}

/** Values of the module constants of one pipeline. */
export type KernelConstants = Readonly<Record<string, number | boolean>>;

/** Keeps the literal types of a definition. */
export function defineKernel<const Params extends Record<string, ScalarType>, const Bindings extends string>(
  definition: KernelDefinition<Params, Bindings>,
): KernelDefinition<Params, Bindings> {
  return definition;
}

/** WGSL text of a pipeline and the number of generated lines before the kernel's own first line. */
export function kernelText(kernel: KernelDefinition, constants: KernelConstants): { code: string; offset: number } {
  const fields = Object.entries(kernel.params).map(([name, type]) => `  ${name}: ${type},`);
  const bindings = Object.entries(kernel.bindings).map(
    ([name, { type, write }], i) =>
      `@group(0) @binding(${i + 1}) var<storage, ${write ? 'read_write' : 'read'}> ${name}: ${type};`,
  );
  const values = Object.entries(constants).map(
    ([name, value]) => `const ${name} = ${typeof value === 'boolean' ? value : `${value}u`};`,
  );
  const head = [
    ...(kernel.subgroups?.(constants) === true ? ['enable subgroups;', 'diagnostic(off, subgroup_uniformity);'] : []),
    ...values,
    `struct Params {\n${fields.join('\n')}\n}`,
    '@group(0) @binding(0) var<uniform> params: Params;',
    ...bindings,
    ...(kernel.libraries ?? []).map((name) => WGSL[name]),
    kernel.generated?.(constants) ?? '',
  ].join('\n');
  return { code: `${head}\n${WGSL[kernel.source]}`, offset: head.split('\n').length };
}

/** Uniform bytes of `params`. @throws EngineError where a value is missing, unknown, or not of its type. */
export function packParams<Params extends Record<string, ScalarType>>(
  kernel: KernelDefinition<Params>,
  values: { readonly [Name in keyof Params]: number },
): ArrayBuffer {
  const names = Object.keys(kernel.params);
  const unknown = Object.keys(values).filter((name) => !(name in kernel.params));
  if (unknown.length > 0) throw new EngineError(`${kernel.source}: unknown parameter ${unknown.join(', ')}`);
  const buffer = new ArrayBuffer(Math.ceil(names.length / 4) * 16);
  const view = new DataView(buffer);
  names.forEach((name, i) => {
    const value = values[name];
    if (kernel.params[name] === 'f32') {
      if (!Number.isFinite(value))
        throw new EngineError(`${kernel.source}: parameter ${name} must be a finite number, got ${value}`);
      view.setFloat32(i * 4, value, true);
    } else {
      if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) {
        throw new EngineError(`${kernel.source}: parameter ${name} must be a u32, got ${value}`);
      }
      view.setUint32(i * 4, value, true);
    }
  });
  return buffer;
}

/** A WGSL fault as the compiler saw it, with line and column in the kernel's own file and the line's text. */
export function compileFault(
  kernel: KernelDefinition,
  code: string,
  offset: number,
  messages: readonly GPUCompilationMessage[],
): EngineError {
  const lines = code.split('\n');
  const errors = messages.filter((message) => message.type === 'error');
  const described = errors.map(({ lineNum, linePos, message }) => {
    const place = placeOf(kernel, code, lineNum, offset);
    return `${place}:${linePos}: ${message}\n    ${lines[lineNum - 1] ?? ''}`;
  });
  return new EngineError(`a shader does not compile on this adapter\n  ${described.join('\n  ')}`);
}

/** File and line of a line of a pipeline's text. */
function placeOf(kernel: KernelDefinition, code: string, line: number, offset: number): string {
  if (line > offset) return `shaders/${kernel.source}:${line - offset}`;
  for (const name of kernel.libraries ?? []) {
    const before = code.slice(0, code.indexOf(WGSL[name])).split('\n').length - 1;
    if (line > before && line <= before + WGSL[name].split('\n').length) return `shaders/${name}:${line - before}`;
  }
  return `generated header of ${kernel.source}:${line}`;
}
