/** What the scripts of the case study share: options, tables of at most 80 columns, CSV files, and a little arithmetic. */
import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

/** True for the script that node was started with. */
export function isMain(url) {
  return process.argv[1] !== undefined && url === pathToFileURL(process.argv[1]).href;
}

/**
 * Whole numbers from the command line, `--visits 1e5`; and texts: `--csv FILE`, and those named in `texts`. What is wrong
 * with them ends the script.
 */
export function optionsFrom(numbers, texts = []) {
  const names = Object.keys(numbers);
  const options = Object.fromEntries([...names, ...texts, 'csv'].map((name) => [name, { type: 'string' }]));
  try {
    const { values } = parseArgs({ options });
    for (const name of names)
      values[name] = values[name] === undefined ? numbers[name] : wholeNumber(name, values[name]);
    return values;
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
}

function wholeNumber(name, text) {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`--${name} ${text}: a whole number is needed, such as 1000 or 1e3`);
}

/** `1,000,000` */
export const count = (value) => value.toLocaleString('en');

/** Columns side by side, the first to the left and the others to the right. */
export function table(head, rows) {
  const cells = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, j) => Math.max(...cells.map((row) => row[j].length)));
  const line = (row) => row.map((text, j) => (j === 0 ? text.padEnd(widths[j]) : text.padStart(widths[j]))).join('  ');
  return [line(cells[0]), widths.map((width) => '─'.repeat(width)).join('  '), ...cells.slice(1).map(line)].join('\n');
}

/** Writes rows as CSV and returns a line that says so. */
export async function writeCsv(file, head, rows) {
  const quoted = (cell) => (/[",\n]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : cell);
  await writeFile(file, `${[head, ...rows].map((row) => row.map(quoted).join(',')).join('\n')}\n`);
  return `${rows.length} rows written to ${file}`;
}

export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

export function standardDeviation(values) {
  const m = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - m) ** 2, 0) / (values.length - 1));
}

/** Least squares of y on x, with an intercept; and Pearson's correlation. */
export function line(x, y) {
  const [mx, my] = [mean(x), mean(y)];
  let [xx, xy, yy] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    xx += (x[i] - mx) ** 2;
    xy += (x[i] - mx) * (y[i] - my);
    yy += (y[i] - my) ** 2;
  }
  return { slope: xy / xx, intercept: my - (xy / xx) * mx, correlation: xy / Math.sqrt(xx * yy) };
}

/** Least squares of y on x through the origin, and the standard deviation of what is left. */
export function lineThroughOrigin(x, y) {
  const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
  const slope = dot(x, y) / dot(x, x);
  const residuals = y.map((value, i) => value - slope * x[i]);
  return { slope, deviation: Math.sqrt(dot(residuals, residuals) / (x.length - 1)) };
}
