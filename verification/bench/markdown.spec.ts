import { withTable } from './markdown.js';
import { row } from './report.js';

const page = (...rows: string[]) =>
  ['# Figures', '<!-- bench gateway -->', ...rows, '<!-- end -->', 'Text.'].join('\n');
const fast = row({
  name: 'fast',
  unit: 'calls/s',
  ours: 2_148,
  peers: { loop: 1_000 },
  target: { atLeast: 3, times: 'loop' },
});
const plain = row({ name: 'plain', unit: 'ms', ours: 0.5 });

it('writes a table of columns of equal width, and says what is not met', () => {
  expect(withTable(page(), 'gateway', [fast, plain], true)).toBe(
    page(
      '',
      '| row   | ours          | peers      | ratio | target     | met    |',
      '| ----- | ------------- | ---------- | ----- | ---------- | ------ |',
      '| fast  | 2,148 calls/s | loop 1,000 | 2.15  | ≥ 3 × loop | **no** |',
      '| plain | 0.5 ms        |            |       |            |        |',
      '',
    ),
  );
});

it('replaces a row in its place, and keeps those that were not measured if only a part was', () => {
  const once = withTable(page(), 'gateway', [fast, plain], true);
  const faster = row({ name: 'fast', unit: 'calls/s', ours: 4_000, peers: { loop: 1_000 } });
  const further = row({ name: 'further', unit: 'ms', ours: 1 });
  const names = withTable(once, 'gateway', [faster, further], true).match(/^\| \S+ +\| [\d.,]+/gm)!;
  expect(names.map((cells) => cells.split(/[ |]+/).slice(1))).toEqual([
    ['fast', '4,000'],
    ['plain', '0.5'],
    ['further', '1'],
  ]);
  expect(withTable(once, 'gateway', [], true)).toBe(once);
  expect(withTable(once, 'gateway', [further], false)).not.toContain('plain');
});

it('has a link to the picture, which stays after a run without one', () => {
  const drawn = withTable(page(), 'gateway', [plain], false, '../a.svg');
  expect(drawn).toMatch(/\|\n\n!\[.+\]\(\.\.\/a\.svg\)\n\n<!-- end -->/);
  expect(withTable(drawn, 'gateway', [plain], false)).toBe(drawn);
});

it('says that a page has no place for it', () => {
  expect(() => withTable(page(), 'journal', [plain], true)).toThrow(
    'no place for the table: <!-- bench journal --> … <!-- end -->',
  );
});
