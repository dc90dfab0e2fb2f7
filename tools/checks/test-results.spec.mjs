import { countResults, lastLine, secondsText } from './test-results.mjs';

const report = { numPassedTests: 10, numFailedTests: 0, numRuntimeErrorTestSuites: 0 };

it.each([
  ['all well', { exitCode: 0, report, areSchemasCurrent: true }, '11 passed, 0 failed'],
  [
    'failed tests',
    { exitCode: 1, report: { ...report, numFailedTests: 2 }, areSchemasCurrent: true },
    '11 passed, 2 failed',
  ],
  [
    'a suite that could not run',
    { exitCode: 1, report: { ...report, numRuntimeErrorTestSuites: 1 }, areSchemasCurrent: true },
    '11 passed, 1 failed',
  ],
  ['stale schemas', { exitCode: 0, report, areSchemasCurrent: false }, '10 passed, 1 failed'],
  [
    'a Jest that died after its report',
    { exitCode: 'SIGKILL', report, areSchemasCurrent: true },
    '11 passed, 1 failed',
  ],
  ['a Jest that wrote no report', { exitCode: 0, report: undefined, areSchemasCurrent: true }, '1 passed, 1 failed'],
])('%s', (_, results, expected) => {
  expect(lastLine(countResults(results))).toBe(expected);
});

it('keeps the whole seconds of the longer files, by their path in the repository', () => {
  const took = (name, seconds) => ({ name: `/repository/${name}`, startTime: 1_000, endTime: 1_000 + seconds * 1_000 });
  const testResults = [took('b.spec.ts', 7.6), took('a.spec.ts', 3), took('quick.spec.ts', 1.9)];
  expect(JSON.parse(secondsText({ testResults }, { root: '/repository' }))).toEqual({ 'a.spec.ts': 3, 'b.spec.ts': 8 });
});
