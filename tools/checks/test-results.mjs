import { relative } from 'node:path';

/**
 * Reduces Jest's report to the two numbers of `npm test`. A suite that could not run, stale schemas and a Jest that died count as failures.
 */
export function countResults({ exitCode, report, areSchemasCurrent }) {
  const passed = (report?.numPassedTests ?? 0) + (areSchemasCurrent ? 1 : 0);
  const failedTests =
    (report?.numFailedTests ?? 0) + (report?.numRuntimeErrorTestSuites ?? 0) + (areSchemasCurrent ? 0 : 1);
  const isJestWell = report !== undefined && (exitCode === 0 || failedTests > 0);
  return { passed, failed: failedTests + (isJestWell ? 0 : 1) };
}

/** Lists the slower files with their seconds, in the form that jest.sequencer.cjs reads. */
export function secondsText(report, { longerThanS = 2, root = process.cwd() } = {}) {
  const rows = report.testResults
    .map(({ name, startTime, endTime }) => [relative(root, name), Math.round((endTime - startTime) / 1_000)])
    .filter(([, seconds]) => seconds > longerThanS)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(rows), undefined, 2)}\n`;
}

export const lastLine = ({ passed, failed }) => `${passed} passed, ${failed} failed`;
