/** Finding and opening adapters in Node through Dawn (npm `webgpu`). The only file that loads Dawn. */

import { EngineError, InputError } from '../errors.js';
import { temporaryFolder } from '../files/temporary-folder.js';
import { type AdapterDescription, describe, SOFTWARE } from './adapter.js';
import { type Alike, withOneOf } from './alike.js';
import { adaptersElsewhere } from './elsewhere.js';
import { prepareSwiftShader, SWIFTSHADER_PACKAGE, swiftShaderInstalled } from './swiftshader.js';
import { mayHaveVulkan, withoutSoftware } from './vulkan.js';

export interface OpenDevice {
  readonly device: GPUDevice;
  readonly description: AdapterDescription;
}

/** Part of an adapter's name that selects SwiftShader from npm. */
const SWIFTSHADER = 'swiftshader';
const NO_SUCH_ADAPTER = 'hindcast lists adapters';

/** Features that kernels use where an adapter has them. */
const OPTIONAL_FEATURES = ['subgroups' as GPUFeatureName];

interface Dawn {
  create(options: string[]): GPU;
  readonly globals: Record<string, unknown>;
}

// Dawn's objects die with the object that `create` returned: keep every one of them for the life of the process.
const instances: GPU[] = [];

async function loadDawn(): Promise<Dawn> {
  // Mesa's software driver wants a runtime directory and only warns where there is none.
  process.env.XDG_RUNTIME_DIR ??= (await temporaryFolder()).path;
  try {
    return (await import('webgpu')) as unknown as Dawn;
  } catch (error) {
    if (isMissing(error)) {
      throw new EngineError(
        'WebGPU is not installed: it is the optional dependency "webgpu"\n  try:    npm install webgpu@0.6.2, or --device cpu',
        { cause: error },
      );
    }
    throw new EngineError(
      `WebGPU (npm package "webgpu") does not load here: ${messageOf(error)}\n  try:    --device cpu`,
      { cause: error },
    );
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

/** Whether there is a point in loading Dawn for somebody who did not ask for a GPU: it warns on standard error where not. */
async function worthLoading(): Promise<boolean> {
  if (!(await mayHaveVulkan())) return false;
  const { createRequire } = await import('node:module');
  try {
    createRequire(import.meta.url).resolve('webgpu');
    return true;
  } catch {
    return false;
  }
}

function createInstance(dawn: Dawn, options: string[]): GPU {
  const gpu = dawn.create(options);
  instances.push(gpu);
  return gpu;
}

/** An adapter that Dawn lists. */
interface Listed extends Alike {
  readonly backend: string;
  /** Its name; of the second of a name `NAME#2`. */
  readonly called: string;
}

/** The adapters that Dawn sees. It lists them only in the message about an adapter it does not have. */
async function adapterNames(dawn: Dawn): Promise<Listed[]> {
  try {
    const adapter = await createInstance(dawn, [`adapter=${NO_SUCH_ADAPTER}`]).requestAdapter();
    if (adapter === null) return [];
    const name = adapter.info.description;
    return [{ backend: 'unknown', name, called: name, place: 0 }];
  } catch (error) {
    const seen = new Map<string, number>();
    return [...messageOf(error).matchAll(/backend: '([^']*)', name: '([^\n]*)'/g)].map(([, backend, name]) => {
      const place = seen.get(`${backend} ${name}`) ?? 0;
      seen.set(`${backend} ${name}`, place + 1);
      return { backend, name, called: place === 0 ? name : `${name}#${place + 1}`, place };
    });
  }
}

/** Every adapter of this machine. @param swiftshader the one from npm too, where that is installed. */
export async function listAdapters(swiftshader = true): Promise<AdapterDescription[]> {
  const dawn = await loadDawn();
  const found: AdapterDescription[] = [];
  if (await mayHaveVulkan()) await list(dawn, found);
  if (!swiftshader || !(await swiftShaderInstalled())) return found;
  // Last, as it hides the others.
  await prepareSwiftShader();
  await list(dawn, found);
  return found;
}

async function list(dawn: Dawn, found: AdapterDescription[]): Promise<void> {
  for (const { backend, name, called } of await adapterNames(dawn)) {
    if (found.some((adapter) => adapter.name === called && adapter.backend === backend)) continue;
    // Those of one name are alike.
    const adapter = await createInstance(dawn, [`backend=${backend}`, `adapter=${name}`]).requestAdapter();
    if (adapter !== null) found.push(describe(adapter, called, backend));
  }
}

/**
 * Opens an adapter with the limits the engine uses.
 *
 * @param name An adapter's name, `NAME#2` for the second of that name, or a part of one in any case; `swiftshader` uses the one from npm. Default: the first that is
 *   not software.
 * @param asked A GPU was asked for: without one of the packages that it takes there is then an error. Default: by the name.
 * @returns `null` where no name was given and there is no hardware adapter.
 * @throws InputError where a name was given that no adapter has, listing those there are.
 */
export async function openDevice(name?: string, asked: boolean = name !== undefined): Promise<OpenDevice | null> {
  if (!asked) return openHardware();
  const dawn = await loadDawn();
  const swiftshader = name !== undefined && SWIFTSHADER.startsWith(name.toLowerCase()) && name.length > 2;
  if (swiftshader && (await swiftShaderInstalled())) await prepareSwiftShader();
  const names = swiftshader || (await mayHaveVulkan()) ? await adapterNames(dawn) : [];
  const wanted =
    names.find(({ called }) => called === name) ??
    names.find((adapter) =>
      name === undefined ? !SOFTWARE.test(adapter.name) : adapter.called.toLowerCase().includes(name.toLowerCase()),
    );
  if (wanted === undefined) {
    if (name === undefined) return null;
    throw new InputError({
      problem: 'no adapter has that name',
      got: name,
      needed:
        names.length === 0
          ? 'an adapter, but this machine shows none'
          : `part of one of: ${names.map(({ called }) => called).join('; ')}`,
      hint: swiftshader
        ? `npm install --save-dev ${SWIFTSHADER_PACKAGE}, hindcast devices, or --device cpu`
        : 'hindcast devices, or --device cpu',
    });
  }
  if (wanted.place === 0) return open(dawn, wanted.backend, wanted.name);
  const list = async () => (await adapterNames(dawn)).map((adapter) => adapter.name);
  const { device, description } = await withOneOf(wanted, list, () => open(dawn, wanted.backend, wanted.name));
  return { device, description: { ...description, name: wanted.called } };
}

/** For somebody who did not ask for a GPU and shall read nothing of drivers that are of no use to this program. */
async function openHardware(): Promise<OpenDevice | null> {
  if (!(await worthLoading())) return null;
  const known = await adaptersElsewhere(false);
  if (known !== null && !known.some(({ auto }) => auto)) return null;
  const dawn = await loadDawn();
  return withoutSoftware(async () => {
    const wanted =
      known?.find(({ auto }) => auto) ?? (await adapterNames(dawn)).find(({ name }) => !SOFTWARE.test(name));
    return wanted === undefined ? null : open(dawn, wanted.backend, wanted.name);
  });
}

async function open(dawn: Dawn, backend: string, name: string): Promise<OpenDevice> {
  const adapter = await createInstance(dawn, [`backend=${backend}`, `adapter=${name}`]).requestAdapter();
  if (adapter === null) throw new EngineError(`the adapter "${name}" was listed but cannot be opened`);
  const device = await adapter.requestDevice({
    label: 'hindcast',
    requiredFeatures: OPTIONAL_FEATURES.filter((feature) => adapter.features.has(feature)),
    requiredLimits: {
      maxBufferSize: adapter.limits.maxBufferSize,
      maxStorageBufferBindingSize: adapter.limits.maxStorageBufferBindingSize,
      maxComputeWorkgroupStorageSize: adapter.limits.maxComputeWorkgroupStorageSize,
    },
  });
  return { device, description: describe(adapter, name, backend) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
