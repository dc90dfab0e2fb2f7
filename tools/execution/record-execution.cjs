/**
 * Records beside a spec which functions of the repository its tests called, by V8's counters, in one file per spec in SPEC_COVERAGE_DIR.
 * Reading the counters takes 100 ms, so they are read only before a test that belongs to other titles of `globals.titles[spec]`. Calls
 * while the spec is loaded count for no test, calls in a `beforeAll` for all.
 */
const { createHash } = require('node:crypto');
const { writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { join, relative } = require('node:path');
const { titlePattern } = require('./title-pattern.cjs');

const ALL = '(all)';
const root = join(__dirname, '../..');
const spec = relative(root, expect.getState().testPath);
const titles = (globalThis.titles[spec] ?? []).map((title) => ({ title, pattern: titlePattern(title) }));
const session = new Session();
const called = {};
let running;

/** V8 resets its counters with each read. */
function calledSince() {
  const found = [];
  session.post('Profiler.takePreciseCoverage', (error, answer) => {
    if (error) throw new Error(error.message);
    for (const { url, functions } of answer.result) {
      const file = relative(root, url.replace(/^file:\/\//, ''));
      if (!/^(?:apps|libs)\/.*\.ts$/.test(file) || /\.spec\.ts$/.test(file)) continue;
      for (const { functionName, ranges } of functions)
        if (functionName !== '' && ranges[0].count > 0) found.push(`${file}#${functionName}`);
    }
  });
  return found;
}

/** Calls up to now belong to the titles that ran up to now. */
function goOnWith(next) {
  if (JSON.stringify(next) === JSON.stringify(running)) return;
  const names = calledSince();
  for (const title of running ?? []) called[title] = [...new Set([...(called[title] ?? []), ...names])];
  running = next;
}

session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
beforeAll(() => {
  calledSince();
  running = [ALL];
});
beforeEach(() => {
  const { currentTestName = '' } = expect.getState();
  goOnWith(titles.filter(({ pattern }) => pattern.test(currentTestName)).map(({ title }) => title));
});
afterAll(() => {
  goOnWith(undefined);
  session.disconnect();
  const name = createHash('sha256').update(spec).digest('hex').slice(0, 16);
  writeFileSync(join(process.env.SPEC_COVERAGE_DIR, `${name}.json`), JSON.stringify({ spec, called }));
});
