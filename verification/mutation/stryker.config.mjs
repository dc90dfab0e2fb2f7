/** For `npm run mutation`, which names the file (`--mutate`), the report, and what a run that was cut off goes on with. */
const { MUTATION_REPORT: report, MUTATION_RESUMED: resumed } = process.env;

export default {
  testRunner: 'jest',
  jest: { projectType: 'custom', configFile: 'verification/mutation/jest.config.cjs', enableFindRelatedTests: false },
  coverageAnalysis: 'perTest',
  // A change of what is computed once, while a module is loaded, would need all tests.
  ignoreStatic: true,
  incremental: true,
  incrementalFile: resumed,
  jsonReporter: { fileName: `${report}.json` },
  htmlReporter: { fileName: `${report}.html` },
  clearTextReporter: { logTests: false, allowColor: false },
  reporters: ['clear-text', 'html', 'json', 'progress-append-only'],
  allowConsoleColors: false,
  concurrency: 2,
  // Jest starts an AsyncLocalStorage for each run in its process and never ends it: after 500 runs, Node spends half of the time on them.
  maxTestRunnerReuse: 40,
  // A test that waits for ever fails by itself after five seconds; this ends what never returns.
  timeoutMS: 6_000,
  timeoutFactor: 2,
  tempDirName: '.infra/mutation',
  // SWC compiles the copy without looking at types.
  disableTypeChecks: false,
  tsconfigFile: 'none',
  ignorePatterns: [
    'apps/*',
    '!apps/payment-gateway',
    'config',
    'deploy',
    'docs',
    'examples',
    'tools',
    'verification/**/*.ts',
    'dist',
    '.infra',
  ],
};
