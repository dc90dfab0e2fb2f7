import { readFileSync } from 'node:fs';

/** The words between quotes behind `PAGES`, as the file's list has them. */
const namesIn = (file, name) => {
  const [, list] = /^const PAGES[^=]*= \[\n([^]*?)^\];/m.exec(readFileSync(file, 'utf8'));
  return [...list.matchAll(name)].map(([, found]) => found);
};

it('operations serves each page that the navigation names: a reload shows it again', () => {
  const named = namesIn('apps/operations-console/src/app.tsx', /'\/([\w-]*)'/g).filter((name) => name !== '');
  const served = namesIn('apps/operations/src/page/console-page.ts', /'([\w-]+)'/g);
  expect(named.length).toBeGreaterThan(5);
  expect(served).toEqual(expect.arrayContaining(named));
});
