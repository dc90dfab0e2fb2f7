// All tests of the repository in one run. UNIT=1: only those that need no infrastructure.
module.exports = {
  ...require('./jest.preset.cjs'),
  rootDir: __dirname,
  testMatch: ['<rootDir>/{apps,libs,examples,tools,bench,faults}/**/*.spec.{ts,mjs,cjs}'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', ...(process.env.UNIT ? ['\\.e2e\\.spec\\.'] : [])],
};
