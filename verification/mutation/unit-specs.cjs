const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '../..');

/** These fold thousands of records: they would take nine tenths of the time, and the other tests find what they find. */
const LONG_FILES =
  /permutations|late-reports-of-voids|folded-once|-lock\.spec|published-types|same-verdict|forged-signatures|unreadable-records|bounded-lists/;
const LONG_TESTS = /seeded orders|200 operations|over all orders|of 200 orders/;
process.env.OWNER_WORLDS ??= '15';
/** A changed owner may wait for ever. */
const LONGEST_MS = 5_000;
/** The change was noticed. Jest goes on: its `bail` ends a run after a file, and all tests are in this one. */
let hasFailed = false;

const { describe: jestDescribe, it: jestTest } = globalThis;

/** Jest's `each`: a row that is no array is one argument. */
const withEach = (define) =>
  Object.assign(define, {
    each: (rows) => (title, body) => {
      const isTable = rows.every(Array.isArray);
      for (const row of rows) define(title, () => (isTable ? body(...row) : body(row)));
    },
  });

/**
 * Jest takes longer to begin and end a test than most of these take, so each file is one test here. A file with something that runs
 * before each test stays as it is.
 */
function addTests(file) {
  if (/(before|after)(Each|All)/.test(readFileSync(join(root, file), 'utf8'))) {
    Object.assign(globalThis, { describe: jestDescribe, it: jestTest });
    jestDescribe(file, () => void require(join(root, file)));
    return;
  }
  const tests = [];
  globalThis.describe = withEach((_title, body) => void body());
  globalThis.it = withEach((title, body) => void (LONG_TESTS.test(title) || tests.push({ title, body })));
  require(join(root, file));
  jestTest(file, async () => {
    for (const test of tests) if (!hasFailed) await inTime(test);
  });
}

async function inTime({ title, body }) {
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`"${title}" has not ended after ${LONGEST_MS} ms`)), LONGEST_MS);
  });
  try {
    await Promise.race([body(), late]);
  } catch (error) {
    hasFailed = true;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

const { MUTATION_SPECS: places, MUTATION_FILE: changed } = process.env;
const isOwn = (file) => file.endsWith(`/${changed}.spec.ts`);
const files = places
  .split(',')
  .flatMap((place) =>
    place.endsWith('.ts') ? [place] : readdirSync(join(root, place)).map((file) => `${place}/${file}`),
  )
  .filter((file) => file.endsWith('.spec.ts') && !LONG_FILES.test(file));
// The specs that have the file's name come first: most changes are noticed there.
files.sort((one, other) => isOwn(other) - isOwn(one)).forEach(addTests);
