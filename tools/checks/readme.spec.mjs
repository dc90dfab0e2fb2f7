import { readFileSync } from 'node:fs';

it('names the benches that there are', () => {
  const [, row] = /^\| `npm run bench -- NAME`\s*\|(.*)\|$/m.exec(readFileSync('README.md', 'utf8'));
  const named = [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const [, list] = /^const BENCHES: Bench\[\] = \[(.*)\];$/m.exec(readFileSync('verification/bench/main.ts', 'utf8'));
  expect(named.sort()).toEqual(list.split(', ').sort());
});
