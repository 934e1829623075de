/** Whether this machine may have a Vulkan device, seen without loading Dawn, which warns on standard error where it has none. */

const LOADER = 'libvulkan.so.1';

/** Variables that name drivers themselves. */
const NAMED = ['VK_DRIVER_FILES', 'VK_ICD_FILENAMES', 'VK_ADD_DRIVER_FILES'] as const;

/**
 * False where Vulkan's loader does not load, or no driver is registered where it looks for them (the loader's documentation,
 * LoaderDriverInterface, "Driver Discovery"). Other systems than Linux have their own interfaces: true.
 */
export async function mayHaveVulkan(): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const [{ readdirSync }, { join }, { constants, homedir }] = await Promise.all([
    import('node:fs'),
    import('node:path'),
    import('node:os'),
  ]);
  try {
    process.dlopen({ exports: {} }, LOADER, constants.dlopen.RTLD_LAZY);
  } catch (error) {
    // What is no addon of Node loads all the same, and is then said not to have registered itself.
    if (!/self-register/.test(error instanceof Error ? error.message : String(error))) return false;
  }
  const { env } = process;
  if (NAMED.some((name) => (env[name] ?? '') !== '')) return true;
  const data = env.XDG_DATA_HOME || join(homedir(), '.local/share');
  const config = env.XDG_CONFIG_HOME || join(homedir(), '.config');
  const folders = [
    ...[config, data, '/usr/local/etc', '/usr/local/share', '/etc', '/usr/share'],
    ...(env.XDG_CONFIG_DIRS || '/etc/xdg').split(':'),
    ...(env.XDG_DATA_DIRS ?? '').split(':').filter((folder) => folder !== ''),
  ];
  return folders.some((folder) => {
    try {
      return readdirSync(join(folder, 'vulkan/icd.d')).some((name) => name.endsWith('.json'));
    } catch {
      return false;
    }
  });
}

/** The loader leaves out drivers whose files are called so (its documentation, LoaderDriverInterface, "Driver Disable Filtering"). */
const DISABLED = 'VK_LOADER_DRIVERS_DISABLE';

/** Does work with Mesa's software driver hidden from Vulkan's loader: Dawn opens every driver it sees, and warns of that one. */
export async function withoutSoftware<T>(work: () => Promise<T>): Promise<T> {
  const { env } = process;
  const before = env[DISABLED];
  env[DISABLED] = [...(before ? [before] : []), '*lvp*'].join();
  try {
    return await work();
  } finally {
    if (before === undefined) delete env[DISABLED];
    else env[DISABLED] = before;
  }
}
