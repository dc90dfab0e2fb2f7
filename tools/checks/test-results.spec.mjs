import { countResults, lastLine } from './test-results.mjs';

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
