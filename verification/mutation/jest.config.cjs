// Every unit spec beside the mutated files is one test file here: Stryker starts Jest for each mutant, and loading forty files would take
// ten times as long as their tests.
module.exports = {
  ...require('../../jest.preset.cjs'),
  rootDir: __dirname,
  roots: ['<rootDir>'],
  testMatch: ['<rootDir>/unit-specs.cjs'],
  testPathIgnorePatterns: [],
  testTimeout: 30_000,
};
