import { readFileSync } from 'node:fs';

const readme = readFileSync('README.md', 'utf8');

it('shows the quickstart as it stands', () => {
  const [, shown] = /```js\n([\s\S]*?)\n```/.exec(readme);
  expect(shown).toBe(readFileSync('examples/quickstart/quickstart.mjs', 'utf8').trimEnd());
});

it('names the benches that there are', () => {
  const [, row] = /^\| `npm run bench -- NAME`\s*\|(.*)\|$/m.exec(readme);
  const named = [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const [, list] = /^const BENCHES: Bench\[\] = \[(.*)\];$/m.exec(readFileSync('verification/bench/main.ts', 'utf8'));
  expect(named.sort()).toEqual(list.split(', ').sort());
});
