/**
 * SwiftShader from npm: a software adapter that needs neither root nor a system Vulkan. The package
 * `@sparticuz/chromium` (a development dependency) carries it, brotli-packed, with its own Vulkan loader.
 */

import { EngineError } from '../errors.js';
import { privateFolder } from '../files/private-folder.js';

const PACKAGE = '@sparticuz/chromium';
/** As npm installs it. */
export const SWIFTSHADER_PACKAGE = `${PACKAGE}@147.0.0`;
const DRIVER = 'vk_swiftshader_icd.json';
const LOADER = 'libvulkan.so.1';

/** Whether the package is there; nothing is unpacked or loaded. */
export async function swiftShaderInstalled(): Promise<boolean> {
  const { createRequire } = await import('node:module');
  try {
    createRequire(import.meta.url).resolve(PACKAGE);
    return true;
  } catch {
    return false;
  }
}

let prepared: Promise<void> | undefined;

/**
 * Unpacks SwiftShader once per version and makes this process's Vulkan loader see it and nothing else. Must run on the
 * main thread before Dawn is first loaded. @throws EngineError where the package is not installed.
 */
export function prepareSwiftShader(): Promise<void> {
  prepared ??= prepare();
  return prepared;
}

async function prepare(): Promise<void> {
  const [{ createRequire }, path, fs, os, { brotliDecompressSync }, { pipeline }, { Readable }] = await Promise.all([
    import('node:module'),
    import('node:path'),
    import('node:fs'),
    import('node:os'),
    import('node:zlib'),
    import('node:stream/promises'),
    import('node:stream'),
  ]);
  const require = createRequire(import.meta.url);
  let home: string;
  try {
    home = path.dirname(path.dirname(path.dirname(require.resolve(PACKAGE))));
  } catch (error) {
    throw new EngineError(
      `SwiftShader is not installed: it comes with the npm package ${PACKAGE}\n  try:    npm install --save-dev ${PACKAGE}@147.0.0, or --device cpu`,
      { cause: error },
    );
  }
  const { version } = JSON.parse(fs.readFileSync(path.join(home, 'package.json'), 'utf8')) as { version: string };
  const folder = await privateFolder(`hindcast-swiftshader-${version}`, async (unpacked) => {
    // tar-fs is the package's own dependency.
    const { extract } = createRequire(path.join(home, 'package.json'))('tar-fs') as {
      extract(folder: string, options: { chown: boolean }): NodeJS.WritableStream;
    };
    const archive = brotliDecompressSync(fs.readFileSync(path.join(home, 'bin', 'swiftshader.tar.br')));
    // Without it root gets files of the user who packed them.
    await pipeline(Readable.from([archive]), extract(unpacked, { chown: false }));
  });
  process.env.VK_DRIVER_FILES = path.join(folder, DRIVER);
  try {
    // Not a Node addon: loading it reports a failure to register, and leaves the Vulkan loader in the process.
    process.dlopen({ exports: {} }, path.join(folder, LOADER), os.constants.dlopen.RTLD_NOW | 0x1000);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!/self-register/.test(message))
      throw new EngineError(`SwiftShader's Vulkan loader does not load: ${message}`, { cause: error });
  }
}
