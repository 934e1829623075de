/** The Chromium that comes from npm, for pages that are files. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import chromium from '@sparticuz/chromium';
import { type Browser, type Page, chromium as playwright } from 'playwright-core';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** A page, and all that the browser had to say of it. */
export interface Opened {
  readonly page: Page;
  readonly said: string[];
}

export class Pages {
  private readonly folder = mkdtempSync(join(tmpdir(), 'h-pages-'));
  private count = 0;

  private constructor(private readonly browser: Browser) {}

  static async launch(): Promise<Pages> {
    return new Pages(await playwright.launch({ executablePath: await chromium.executablePath(), args: chromium.args }));
  }

  /** Opens HTML from a file, without a network. */
  async open(html: string, { width = 1000, dark = false } = {}): Promise<Opened> {
    const context = await this.browser.newContext({
      ...{ viewport: { width, height: 900 }, colorScheme: dark ? 'dark' : 'light', offline: true },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await context.newPage();
    const said: string[] = [];
    page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => said.push(`error: ${error.message}`));
    page.on('request', (request) => {
      if (!/^(file|data):/.test(request.url())) said.push(`request: ${request.url()}`);
    });
    const file = join(this.folder, `${this.count++}.html`);
    writeFileSync(file, html);
    await page.goto(pathToFileURL(file).href);
    if (html.includes('id="tools"')) await page.locator('#tools').waitFor();
    return { page, said };
  }

  async close(): Promise<void> {
    await this.browser.close();
    rmSync(this.folder, { recursive: true });
  }
}

/** What axe-core has against a page, in a line each. */
export async function violations(page: Page): Promise<string[]> {
  // The page lets no script in; the debugger does.
  const { readFileSync } = await import('node:fs');
  await page.evaluate(readFileSync(axe, 'utf8'));
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { target: unknown[]; failureSummary: string }[] }[] }> };
    };
    return (await axe.run()).violations;
  });
  return found.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join(' | ')}`,
  );
}
