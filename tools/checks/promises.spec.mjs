import { promisesDocument } from './promises.mjs';

const specs = {
  'apps/a/test/capture-twice.e2e.spec.ts':
    "it('refuses a second capture', () => {});\nit.each(['x', 'y'])('takes %s', () => {});",
  'libs/b/test/backlog.nightly.e2e.spec.ts':
    'describe("b", () => { it(`stays below ${LIMIT}`, () => {}); it.todo("later"); });',
  'libs/b/src/unit.spec.ts': "it('is a unit', () => {});",
};

it('lists each end-to-end test below its promise, and marks what runs at night', () => {
  const text = promisesDocument(Object.keys(specs), (file) => specs[file]);
  expect(text.slice(text.indexOf('## '))).toBe(`## apps/a

- **Capture twice** ([spec](../../apps/a/test/capture-twice.e2e.spec.ts))
  - refuses a second capture
  - takes %s

## libs/b

- **Backlog** _nightly_ ([spec](../../libs/b/test/backlog.nightly.e2e.spec.ts))
  - stays below …
`);
});
