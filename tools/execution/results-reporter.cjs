/** Writes to `outputFile` how the tests of each project and spec ended. A suite that could not run has no tests. */
const { writeFileSync } = require('node:fs');
const { join, relative } = require('node:path');

const root = join(__dirname, '../..');

module.exports = class ResultsReporter {
  #results = [];
  #options;

  constructor(_config, options) {
    this.#options = options;
  }

  onTestResult({ context, path }, { testResults, testExecError }) {
    this.#results.push({
      project: context.config.displayName.name,
      spec: relative(root, path),
      tests: testResults.map(({ fullName, status }) => ({ name: fullName, status })),
      error: testExecError?.message,
    });
  }

  onRunComplete() {
    writeFileSync(this.#options.outputFile, JSON.stringify(this.#results));
  }
};
