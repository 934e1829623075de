/** Reports in a real browser: they load without a word, read well, and do what they say. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toHtml } from '#dist/report/html/page.js';
import { savedReport } from '#dist/report/html/saved-page.js';
import { toJson } from '#dist/report/json.js';
import { LONG } from '../../long.js';
import { sample } from '../sample.js';
import { Pages, violations } from './browser.js';
import { evaluation, policies } from './samples.js';

let pages: Pages;
beforeAll(async () => {
  pages = await Pages.launch();
});
afterAll(() => pages.close());

describe('a report', () => {
  test('of a saved result is that of the result itself', async () => {
    const result = evaluation(30);
    expect((await savedReport(toJson(result), 'result.json')).page).toBe(await toHtml(result));
  });

  test('sorts, filters, copies and shows what is chosen, by mouse and by keyboard', async () => {
    const { page, said } = await pages.open(await toHtml(evaluation(200)));
    const names = page.locator('#table tbody th bdi');
    const shown = page.locator('#shown');
    await expect.poll(() => shown.textContent()).toBe('200 policies.');
    await page.fill('#name', 'POLICY 19');
    expect(await shown.textContent()).toBe('11 of 200 policies.');
    await page.selectOption('#family', 'linear');
    expect(await names.allTextContents()).toEqual(['policy 192', 'policy 195', 'policy 198']);
    await page.locator('#copy').click();
    await expect.poll(() => page.locator('#copied').textContent()).toBe('3 rows copied.');
    const csv = await page.evaluate(() => navigator.clipboard.readText());
    expect(csv.split('\n').map((line) => line.split(',', 2).join())).toEqual([
      'name,value',
      ...[192, 195, 198].map((i) => `policy ${i},${Number((policies(200)[i].value ?? 0).toPrecision(7))}`),
      '',
    ]);
    await page.fill('#name', '');
    await page.selectOption('#family', '');
    await page.check('#best');
    expect(await names.allTextContents()).toEqual([0, 1, 2, 3].map((i) => `policy ${i}`));
    await page.uncheck('#best');
    const matches = page.locator('#table thead th', { hasText: 'matches' });
    await matches.locator('button').click();
    expect(await matches.getAttribute('aria-sort')).toBe('descending');
    const cells = await page
      .locator('#table tbody tr:not(.space)')
      .evaluateAll((rows) => rows.map((row) => row.textContent ?? ''));
    expect(cells[0]).toContain('1,099');
    await matches.locator('button').press('Enter');
    expect(await matches.getAttribute('aria-sort')).toBe('ascending');
    await matches.locator('button').press('Enter');
    expect(await matches.getAttribute('aria-sort')).toBeNull();
    // By keyboard from here on.
    await page.locator('#table tbody button').first().focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    expect(await page.locator('#picked').textContent()).toContain('policy 2 is 3 of 200 by value: value 0.079');
    const marks = page.locator('[data-picture="forest"] .wide .mark-chosen');
    expect(await marks.evaluateAll((all) => all.map(({ tagName }) => tagName))).toEqual(['rect']);
    await page.keyboard.press('End');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('policy 199');
    await page.keyboard.press('Space');
    expect(await marks.evaluateAll((all) => all.map(({ tagName }) => tagName))).toEqual([
      'text',
      'path',
      'path',
      'circle',
    ]);
    expect(await marks.first().textContent()).toBe('policy 199');
    await page.keyboard.press('Escape');
    expect(await page.locator('#picked').isHidden()).toBe(true);
    expect(await page.locator('.mark-chosen').count()).toBe(0);
    expect(said).toEqual([]);
  });

  test.each([
    ['a light one', 1, {}],
    ['a dark one', 40, { dark: true }],
    ['a narrow one', 40, { width: 360 }],
  ])('%s has nothing that axe-core objects to', async (_, count, how) => {
    const { page, said } = await pages.open(await toHtml(evaluation(count, { warnings: ['take care'] })), how);
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
    expect(said).toEqual([]);
  });

  test('shows hostile names as text', async () => {
    const hostile = [
      '<script>document.title="taken"</script>',
      '</script><img src=x onerror=alert(1)>',
      '\u202egnp.exe',
      `long ${'x'.repeat(100_000)} end`,
      '=HYPERLINK("http://x")',
      '\u2028&amp;<b>',
      "'; drop table",
    ];
    const html = await toHtml(
      evaluation(7, { policies: policies(7, (i) => hostile[i]), warnings: [`of ${hostile[0]}: ${hostile[3]}`] }),
    );
    expect(html.length).toBeLessThan(100_000);
    expect(/[\u202e\u2028]/.test(html)).toBe(false);
    const { page, said } = await pages.open(html);
    expect(await page.title()).toContain('men.csv');
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('script').count()).toBe(2);
    const names = await page.locator('#table tbody th bdi').allTextContents();
    expect(names.slice(0, 3)).toEqual([hostile[0], hostile[1], '\\u202egnp.exe']);
    expect(names[3]).toMatch(/^long x+…x+ end$/);
    await page.locator('#copy').click();
    await expect.poll(() => page.locator('#copied').textContent()).toBe('7 rows copied.');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('"\'=HYPERLINK(""http://x"")"');
    await page.locator('#table tbody button').nth(1).click();
    expect(await page.locator('#picked bdi').textContent()).toBe(hostile[1]);
    expect(await violations(page)).toEqual([]);
    expect(said).toEqual([]);
  });

  test.each([
    ['no policy', sample({ policies: [] }), 'The policy set is empty: nothing was evaluated.'],
    [
      'no match',
      sample({ policies: [{ ...sample().policies[2], index: 0 }] }),
      'The policy matched no event: nothing is known of what it is worth.',
    ],
  ])('of %s says so', async (_, result, answer) => {
    const { page, said } = await pages.open(await toHtml(result));
    expect(await page.locator('#answer').textContent()).toBe(answer);
    expect(await page.locator('figure').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    expect(said).toEqual([]);
  });

  test('of 10,000 policies is below 1 MB and scrolls', LONG, async () => {
    const html = await toHtml(evaluation(10_000));
    expect(html.length).toBeLessThan(1_000_000);
    const { page, said } = await pages.open(html);
    await expect.poll(() => page.locator('#shown').textContent()).toBe('10,000 policies.');
    // Of script, in a frame that took long.
    const longest = await page.evaluate(async () => {
      const frame = document.querySelector('#table') as HTMLElement;
      let most = 0;
      const observer = new PerformanceObserver((list) => {
        for (const { scripts } of list.getEntries() as unknown as { scripts: { duration: number }[] }[])
          most = Math.max(
            most,
            scripts.reduce((sum, { duration }) => sum + duration, 0),
          );
      });
      observer.observe({ type: 'long-animation-frame' });
      for (let step = 0; step < 60; step++) {
        frame.scrollTop = step * 4801;
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
      return most;
    });
    expect(longest).toBeLessThan(100);
    await page.keyboard.press('Tab');
    await page.evaluate(() => {
      (document.querySelector('#table') as HTMLElement).scrollTop = 1e9;
    });
    await expect.poll(() => page.locator('#table tbody th bdi').last().textContent()).toBe('policy 9999');
    expect(await page.locator('#table tbody tr').count()).toBeLessThan(120);
    expect(await violations(page)).toEqual([]);
    expect(said).toEqual([]);
  });
});
