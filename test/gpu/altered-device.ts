/** A device with some members replaced, to make it fail on purpose. */
export function altered(device: GPUDevice, members: Record<string, unknown>): GPUDevice {
  return new Proxy(device, {
    get(target, name) {
      if (typeof name === 'string' && name in members) return members[name];
      const value = Reflect.get(target, name, target) as unknown;
      // Dawn's methods insist on their own object.
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
