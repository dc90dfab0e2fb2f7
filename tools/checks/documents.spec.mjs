import { linkFaults, lockFileFaults, machineFaults, namedFileFaults } from './documents.mjs';
import { headingAnchors } from './heading-anchors.mjs';

const files = new Set(['README.md', 'docs/a.md', 'docs/b.md', 'libs/kafka/src/index.ts']);
const texts = { 'docs/a.md': '# One\n## Two words, and more\n', 'docs/b.md': '' };
const links = (text) => linkFaults('docs/b.md', text, files, (file) => texts[file]);

describe('links', () => {
  it.each([
    '[a](a.md)',
    '[a](../README.md)',
    '[folder](../libs/kafka)',
    '[heading](a.md#two-words-and-more)',
    '[web](https://example.com/x)',
    '```\n[code](nowhere.md)\n```',
  ])('%j is right', (text) => expect(links(text)).toEqual([]));

  it.each([
    ['[a](c.md)', 'docs/b.md: c.md does not exist'],
    ['[a](a.md#three)', 'docs/b.md: a.md#three has no such heading'],
    ['[a](../libs/redis)', 'docs/b.md: ../libs/redis does not exist'],
  ])('%j is wrong', (text, fault) => expect(links(text)).toEqual([fault]));
});

it('anchors are as on GitHub', () => {
  expect([...headingAnchors('# What it does\n## `A` & B: c\n')]).toEqual(['what-it-does', 'a--b-c']);
});

it('files named in a document must be there; placeholders and built files are not meant', () => {
  const text =
    '`libs/kafka/src/index.ts` `libs/kafka/src/gone.ts` `apps/NAME/main.js` `apps/x/dist/main.js` `payments.events.v1`';
  expect(namedFileFaults('d.md', text, files)).toEqual(['d.md: libs/kafka/src/gone.ts does not exist']);
});

it('nothing of a machine is named', () => {
  const place = (...parts) => `/${parts.join('/')}`;
  expect(machineFaults('f', `see ${place('root', '.npm')} there`)).toEqual([
    `f: names the path ${place('root', '.npm')}`,
  ]);
  expect(machineFaults('f', `"${place('home', 'jeanne', 'x')}"`)).toHaveLength(1);
  expect(machineFaults('f', ['see workspace', 'root', 'x and https://example.com', 'work', 'x'].join('/'))).toEqual([]);
  expect(machineFaults('f', `https://${'regi'}stry.example.org/x`)).toHaveLength(1);
});

it('a lock file names no sources', () => {
  expect(lockFileFaults('{"resolved": "libs/contracts"}')).toEqual([]);
  expect(lockFileFaults('{"resolved": "https://example.org/a.tgz"}')).toHaveLength(1);
});
