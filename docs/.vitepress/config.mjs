/** The site reads the Markdown of the whole repository where it lies: `docs` is its root, and other folders keep their paths. */
import { defineConfig } from 'vitepress';
import { headingAnchors } from '../../tools/checks/heading-anchors.mjs';
import { addressOf, copyLinkedFiles, linkOf, sidebar } from './pages.mjs';

/** Headings get the anchors that GitHub gives them, because alerts and documents link to those. */
const slugify = (heading) => [...headingAnchors(`# ${heading}`)][0] ?? '';

export default defineConfig({
  title: 'Tranche',
  description: 'Instalment payments behind Kafka: at most once, nothing guessed, nothing lost',
  lang: 'en',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  srcDir: '..',
  srcExclude: ['README.md'],
  outDir: '../dist/site',
  cacheDir: '../node_modules/.cache/vitepress',
  rewrites: addressOf,
  // Relative addresses would be wrong in a rewritten page; the link rule below makes them absolute.
  markdown: {
    html: false,
    linkify: false,
    attrs: { disable: true },
    anchor: { slugify },
    toc: { slugify },
    headers: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(md) {
      md.set({ html: false });
      md.disable('emoji', true);
      const open = md.renderer.rules.link_open;
      md.renderer.rules.link_open = (tokens, at, options, env, self) => {
        const href = tokens[at].attrGet('href');
        if (href) tokens[at].attrSet('href', linkOf(href, env.realPath ?? env.path));
        return open(tokens, at, options, env, self);
      };
      // A table or a block that is wider than a phone scrolls, so a keyboard must be able to reach it.
      md.renderer.rules.table_open = () => '<table tabindex="0">\n';
      // Vue would read {{ }} of a text or of code within a line as an expression.
      for (const kind of ['text', 'code_inline']) {
        const render = md.renderer.rules[kind];
        md.renderer.rules[kind] = (...given) => render(...given).replaceAll('{{', '&#123;&#123;');
      }
    },
  },
  buildEnd: ({ outDir }) => copyLinkedFiles(outDir),
  themeConfig: {
    search: { provider: 'local', options: { detailedView: false } },
    outline: { level: [2, 3] },
    nav: [
      { text: 'TypeScript', link: '/pay-from-typescript' },
      { text: 'Other languages', link: '/from-another-language' },
      { text: 'Cards', link: '/take-cards' },
      { text: 'Operate', link: '/operate/' },
      { text: 'Deploy and understand', link: '/deploy-and-understand' },
    ],
    sidebar: sidebar(),
  },
});
