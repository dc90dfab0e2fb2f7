// Jest's default pattern would take commands/test.mjs for a test.
module.exports = { ...require('../jest.preset.cjs'), rootDir: __dirname, testMatch: ['<rootDir>/**/*.spec.mjs'] };
