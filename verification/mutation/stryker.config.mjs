/** For `npm run mutation`, which names the files (`--mutate`), the report, and the score below which it fails. */
const { MUTATION_NAME: name, MUTATION_LEAST: least } = process.env;
const report = `node_modules/.cache/mutation/${name}`;

export default {
  testRunner: 'jest',
  jest: { projectType: 'custom', configFile: 'verification/mutation/jest.config.cjs', enableFindRelatedTests: false },
  coverageAnalysis: 'perTest',
  // A change of what is computed once, while a module is loaded, would need all tests.
  ignoreStatic: true,
  incremental: true,
  incrementalFile: `${report}.incremental.json`,
  htmlReporter: { fileName: `${report}.html` },
  clearTextReporter: { logTests: false, allowColor: false },
  thresholds: { high: 90, low: 85, break: least ? Number(least) : null },
  reporters: ['clear-text', 'html', 'progress-append-only'],
  allowConsoleColors: false,
  concurrency: 2,
  // A test that waits for ever fails by itself after two seconds; this ends what never returns.
  timeoutMS: 10_000,
  timeoutFactor: 2,
  tempDirName: '.infra/mutation',
  // SWC compiles the copy without looking at types.
  disableTypeChecks: false,
  tsconfigFile: 'none',
  ignorePatterns: ['apps', 'config', 'deploy', 'docs', 'examples', 'tools', 'verification/**/*.ts', 'dist', '.infra'],
};
