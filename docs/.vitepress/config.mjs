/** The site: the pages of docs/ as they are, with the API beside them. Dead links fail its build. */

import { defineConfig } from 'vitepress';

const page = (text, link) => ({ text, link });

const GUIDE = [
  page('A uniform log', '/guide/uniform-log'),
  page('My log is not uniform', '/guide/propensities'),
  page('Policies', '/guide/policies'),
  page('Learning algorithms', '/guide/learners'),
  page('Which one do I ship?', '/guide/which-one-to-ship'),
  page('A report to send', '/guide/report'),
  page('Log formats', '/guide/formats'),
  page('Order and repetitions', '/guide/order'),
  page('Larger than memory', '/guide/large-logs'),
  page('More than one machine', '/guide/cluster'),
  page('Engines and devices', '/guide/gpu'),
  page('In a notebook', '/guide/notebook'),
  page('A simulated world', '/guide/simulate'),
];

const CONCEPTS = [
  page('“Unbiased”, and when it fails', '/concepts/unbiased'),
  page('Intervals', '/concepts/intervals'),
  page('The winner’s curse', '/concepts/winners-curse'),
  page('What replays of learners say', '/concepts/learners'),
  page('Exactness', '/concepts/exactness'),
];

const REFERENCE = [
  page('Commands', '/reference/cli'),
  page('The mapping', '/reference/mapping'),
  page('Algorithms and their options', '/reference/learners'),
  page('The result', '/reference/result'),
  page('Performance', '/reference/performance'),
  page('In code', '/api/'),
];

const WORK = [page('Tests and examples', '/development'), page('How it is built', '/architecture')];

export default defineConfig({
  title: 'hindcast',
  description: 'Unbiased offline evaluation of contextual-bandit policies from logs',
  cleanUrls: false,
  // What is no page.
  srcExclude: ['generate/**'],
  markdown: {
    anchor: { slugify },
    // What is in braces is text.
    attrs: { disable: true },
    config: nameFiles,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    nav: [
      page('Guide', GUIDE[0].link),
      page('Concepts', CONCEPTS[0].link),
      page('Reference', REFERENCE[0].link),
      page('API', '/api/'),
    ],
    sidebar: [
      { text: 'Guide', items: GUIDE },
      { text: 'Concepts', items: CONCEPTS },
      { text: 'Reference', items: REFERENCE },
      { text: 'To work on it', items: WORK },
    ],
    outline: [2, 3],
    search: { provider: 'local' },
  },
});

/** A block that is a file (`json policies.json`) has its name above it. */
function nameFiles(md) {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, i, ...rest) => {
    const [, name] = tokens[i].info.split(' ');
    // Columns in colours say nothing, and are hard to read.
    tokens[i].info = tokens[i].info.replace(/^csv/, 'text');
    const title = name === undefined ? '' : `<p class="file-name">${md.utils.escapeHtml(name)}</p>`;
    return title + fence(tokens, i, ...rest);
  };
}

/** Anchors as GitHub makes them, so that a link works here and there. */
function slugify(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}
