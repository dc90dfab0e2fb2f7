// Every unit spec beside the mutated files is one test file here: Stryker starts Jest for each mutant, and loading forty files would take
// ten times as long as their tests. A mutated owner may wait for ever, so a test has two seconds.
module.exports = {
  ...require('../../jest.preset.cjs'),
  rootDir: __dirname,
  roots: ['<rootDir>'],
  testMatch: ['<rootDir>/unit-specs.cjs'],
  testPathIgnorePatterns: [],
  testTimeout: 2_000,
};
