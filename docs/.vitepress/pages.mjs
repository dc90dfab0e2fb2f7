/** Says where the repository's files stand in the site, and what its menu lists. */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HOME = 'docs/README.md';
const linkedFiles = new Set();

/** Gives a document's path in the site: folders of `docs` are at the top, and a README is the page of its folder. */
export function addressOf(file) {
  return file.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md');
}

/**
 * Makes a relative link of a document absolute in the site. A file that is no document is copied beside the pages, a folder without a
 * README leads to what the repository's list of it is, so that no link needs the repository.
 */
export function linkOf(href, document) {
  if (/^([a-z][a-z0-9+.-]*:|#)/i.test(href)) return href;
  const [path, anchor] = href.split('#');
  const after = anchor === undefined ? '' : `#${anchor}`;
  const file = relative(ROOT, resolve(dirname(document), decodeURI(path))).replaceAll('\\', '/');
  const target = join(ROOT, file);
  if (file === '' || (file === 'README.md' && !after)) return `/${after}`;
  if (file === 'docs/decisions') return '/reference/decisions';
  if (existsSync(target) && statSync(target).isDirectory()) return linkOf(`${href.split('#')[0]}/README.md`, document);
  if (file.endsWith('.md') && file !== 'README.md') return `/${addressOf(file)}${after}`;
  linkedFiles.add(file);
  return `/files/${shownAs(file)}`;
}

/** A browser shows JSON and pictures, and would download or play a source file, so sources are served as text. */
const shownAs = (file) => (/\.(json|png|ya?ml)$/.test(file) ? file : `${file}.txt`);

export function copyLinkedFiles(outDir) {
  for (const file of linkedFiles) {
    const to = join(outDir, 'files', shownAs(file));
    mkdirSync(dirname(to), { recursive: true });
    cpSync(join(ROOT, file), to);
  }
}

const titleOf = (file) => /^# (.+)$/m.exec(readFileSync(join(ROOT, file), 'utf8'))?.[1].replaceAll('`', '') ?? file;
const item = (file, text = titleOf(file)) => ({ text, link: `/${addressOf(file).replace(/(index)?\.md$/, '')}` });
const within = (folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .sort((one, other) => Number(other === 'README.md') - Number(one === 'README.md') || one.localeCompare(other))
    .map((name) => item(posix.join(folder, name)));
const projects = (folder) =>
  readdirSync(join(ROOT, folder))
    .map((name) => `${folder}/${name}/README.md`)
    .filter((file) => existsSync(join(ROOT, file)))
    .map((file) => item(file));

export function sidebar() {
  return [
    {
      text: 'Use it',
      items: [
        item(HOME, 'Five doors'),
        item('docs/pay-from-typescript.md'),
        item('docs/from-another-language.md'),
        item('docs/take-cards.md'),
        item('docs/what-it-cannot-do.md'),
      ],
    },
    { text: 'Guide', items: [item('docs/deploy-and-understand.md'), ...within('docs/guide')] },
    {
      text: 'Operate',
      items: [...within('docs/operate'), item('deploy/README.md'), item('deploy/helm/tranche/README.md')],
    },
    { text: 'Reference', items: within('docs/reference') },
    { text: 'Services', items: projects('apps') },
    { text: 'Libraries', items: projects('libs') },
    { text: 'Examples', items: projects('examples') },
    {
      text: 'The project',

      items: ['CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'verification/README.md'].map((file) => item(file)),
    },
  ];
}
