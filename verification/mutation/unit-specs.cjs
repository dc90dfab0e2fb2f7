const { readdirSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '../..');

/** These fold thousands of records: they would take nine tenths of the time, and the other tests find what they find. */
const LONG_FILES = /permutations|late-reports-of-voids|partition-owner\.spec|folded-once/;
const LONG_TESTS = /seeded orders|200 operations/;

const { it } = globalThis;
const unlessLong = (title, ...test) => (LONG_TESTS.test(title) ? it.skip(title, ...test) : it(title, ...test));
globalThis.it = Object.assign(unlessLong, it);

for (const folder of process.env.MUTATION_SPECS.split(','))
  for (const file of readdirSync(join(root, folder)))
    if (file.endsWith('.spec.ts') && !LONG_FILES.test(file))
      describe(`${folder}/${file}`, () => void require(join(root, folder, file)));
