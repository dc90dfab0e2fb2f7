/** Runs only the tests that the project's `globals.titles` match: no other test is expected to notice the mutant. */
const { TestEnvironment } = require('jest-environment-node');
const { relative, join } = require('node:path');
const { titlePattern } = require('./title-pattern.cjs');

const root = join(__dirname, '../..');

module.exports = class NamedTestsEnvironment extends TestEnvironment {
  #patterns;

  constructor(config, context) {
    super(config, context);
    const titles = config.projectConfig.globals.titles[relative(root, context.testPath)] ?? [];
    this.#patterns = titles.map(titlePattern);
  }

  handleTestEvent({ name, test }) {
    if (name !== 'test_start') return;
    const names = [];
    for (let block = test; block.parent; block = block.parent) names.unshift(block.name);
    if (!this.#patterns.some((pattern) => pattern.test(names.join(' ')))) test.mode = 'skip';
  }
};
