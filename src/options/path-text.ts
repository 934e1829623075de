/** Where in an object something lies, as code writes it. */

/** `[3]` and `['tables', 0, 'choices', 'a b']` → `[3].tables[0].choices["a b"]`. */
export function pathText(base: string, path: readonly PropertyKey[]): string {
  let text = base;
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (typeof part === 'string' && /^[A-Za-z_$][\w$]*$/.test(part)) text += text === '' ? part : `.${part}`;
    else text += `[${JSON.stringify(String(part))}]`;
  }
  return text;
}
