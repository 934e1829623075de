/** The adapter that GPU tests run on: SwiftShader from npm, or the one named in HINDCAST_TEST_ADAPTER. Never skipped. */
import { type OpenDevice, openDevice } from '#dist/gpu/device.js';

export const ADAPTER = process.env.HINDCAST_TEST_ADAPTER ?? 'swiftshader';

/** Opens the test adapter. No adapter is a failure, not a reason to skip. */
export async function openTestDevice(): Promise<OpenDevice> {
  const opened = await openDevice(ADAPTER);
  if (opened === null) throw new Error(`no adapter called ${ADAPTER}`);
  return opened;
}
