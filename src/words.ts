/** Words that go with numbers. */

/** `1 policy`, `1,234 policies`: the plural is given where it is not singular + s. */
export function plural(number: number, singular: string, many = `${singular}s`): string {
  return `${number.toLocaleString('en', { maximumFractionDigits: 6 })} ${number === 1 ? singular : many}`;
}
