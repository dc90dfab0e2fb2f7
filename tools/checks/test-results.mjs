/** Jest's report as the two numbers of `npm test`. A suite that could not run, stale schemas or a Jest that died are failures, too. */
export function countResults({ exitCode, report, areSchemasCurrent }) {
  const passed = (report?.numPassedTests ?? 0) + (areSchemasCurrent ? 1 : 0);
  const failedTests =
    (report?.numFailedTests ?? 0) + (report?.numRuntimeErrorTestSuites ?? 0) + (areSchemasCurrent ? 0 : 1);
  const isJestWell = report !== undefined && (exitCode === 0 || failedTests > 0);
  return { passed, failed: failedTests + (isJestWell ? 0 : 1) };
}

export const lastLine = ({ passed, failed }) => `${passed} passed, ${failed} failed`;
