import {
  configVariables,
  documentedVariables,
  headingAnchors,
  linkFaults,
  lockFileFaults,
  machineFaults,
  namedFileFaults,
  settingsFaults,
  tableFaults,
  roomFaults,
  wayFaults,
} from './docs-checks.mjs';

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

describe('rooms', () => {
  const rooms = new Set([
    'libs/kafka/src/consume/a.ts',
    'libs/kafka/src/nest/b.ts',
    'libs/kafka/src/index.ts',
    'tools/demo/c.mjs',
  ]);
  const table = (...rows) =>
    roomFaults('a.md', `## Where is what\n\n| folder | room |\n| --- | --- |\n${rows.join('\n')}\n`, rooms);
  const TOOLS = '| [tools](tools.md) | `demo` | |';

  it('are the folders that are there', () =>
    expect(table('| `libs/kafka` | `consume` | |', '| | `nest` | |', '| `libs/other` | | |', TOOLS)).toEqual([]));

  it.each([
    ['one that is not listed', ['| `libs/kafka` | `nest` | |', TOOLS], 'libs/kafka/src/consume is not listed'],
    [
      'one that is not there',
      ['| `libs/kafka` | `nest`, `consume`, `produce` | |'],
      'libs/kafka/src/produce does not exist',
    ],
  ])('%s is a fault', (_, rows, fault) => expect(table(...rows)).toEqual([`a.md, "Where is what": ${fault}`]));

  it('are listed at all', () =>
    expect(table('| `libs/kafka` | | |')).toEqual(['a.md: lists no rooms under "Where is what"']));
});

it('anchors are as on GitHub', () => {
  expect([...headingAnchors('# What it does\n## `A` & B: c\n')]).toEqual(['what-it-does', 'a--b-c']);
});

describe('the way of a capture', () => {
  const way = (list, shapes = '`A`, `B`') =>
    wayFaults(
      'a.md',
      `# A\n\n## The way of a capture\n\n${list.join('\n')}\n\nShapes on the way: ${shapes}.\n\n## Next\n`,
      files,
    );
  const steps = (...paths) => paths.map((path, at) => `${at + 1}. \`${path}\`: what it does`);

  it('may list each file once', () => expect(way(steps('README.md', 'docs/a.md'))).toEqual([]));

  it.each([
    ['a missing file', steps('README.md', 'docs/gone.md'), undefined, 'docs/gone.md does not exist'],
    ['a file twice', steps('README.md', 'docs/a.md', 'README.md'), undefined, 'README.md comes twice'],
    ['an eleventh shape', steps('README.md'), 'ABCDEFGHIJK'.replace(/./g, '`$&`'), '11 shapes, at most 10'],
    ['nothing', [], undefined, 'no files or no shapes are listed'],
  ])('%s is a fault', (_, list, shapes, fault) => {
    expect(way(list, shapes)).toEqual([`a.md, "The way of a capture": ${fault}`]);
  });

  it('has at most 25 files', () => {
    const many = Array.from({ length: 26 }, (_, at) => `docs/${at}.md`);
    const faults = wayFaults(
      'a.md',
      `## The way of a capture\n${steps(...many).join('\n')}\nShapes on the way: \`A\`.`,
      new Set(many),
    );
    expect(faults).toEqual(['a.md, "The way of a capture": 26 files, at most 25']);
  });

  it('must be there', () =>
    expect(wayFaults('a.md', '# A\n', files)).toEqual(['a.md: has no section "The way of a capture"']));
});

it('files named in a document must be there; placeholders and built files are not meant', () => {
  const text =
    '`libs/kafka/src/index.ts` `libs/kafka/src/gone.ts` `apps/NAME/main.js` `apps/x/dist/main.js` `payments.events.v1`';
  expect(namedFileFaults('d.md', text, files)).toEqual(['d.md: libs/kafka/src/gone.ts does not exist']);
});

it('finds rows that a blank line cuts off from their table', () => {
  const table = '| a | b |\n| - | - |\n| 1 | 2 |\n';
  expect(tableFaults('d.md', `text\n\n${table}\n${table}`)).toEqual([]);
  expect(tableFaults('d.md', '```\n| no table |\n```\n')).toEqual([]);
  expect(tableFaults('d.md', `${table}\n| 3 | 4 |\n| 5 | 6 |\n`)).toEqual(['d.md: no table begins with | 3 | 4 |']);
});

describe('settings', () => {
  const readme =
    '# X\n## Settings\n| variable | default |\n|---|---|\n| `PORT` | 1 |\n| `KEY`, `KEY_FILE` | uses `OTHER` |\n## When it fails\n| `NOT_THIS` |\n';

  it('are read from classes, tables and READMEs', () => {
    expect(configVariables("@Env('A_B', {})\n  @Env(\n  'C', {})\n [{ name: 'DE', doc: '' }]")).toEqual(['A_B', 'DE']);
    expect(documentedVariables(readme)).toEqual(['PORT', 'KEY', 'KEY_FILE']);
  });

  it('are documented and exist', () => {
    expect(settingsFaults('r', readme, ['PORT', 'KEY'], [])).toEqual([]);
    expect(settingsFaults('r', readme, ['PORT', 'EXTRA'], ['KEY'])).toEqual(['r: EXTRA is not under Settings']);
    expect(settingsFaults('r', readme, ['PORT'], [])).toEqual([
      'r: KEY is no setting of the code',
      'r: KEY_FILE is no setting of the code',
    ]);
  });
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
