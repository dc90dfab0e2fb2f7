import { installLine, parseJavaVersion } from './packages.mjs';

it.each([
  ['openjdk version "17.0.15" 2025-04-15', 17],
  ['openjdk version "21" 2023-09-19', 21],
  ['java version "1.8.0_392"', 8],
  ['bash: java: command not found', 0],
  ['', 0],
])('%j is Java %i', (text, version) => {
  expect(parseJavaVersion(text)).toBe(version);
});

it('says in one line what to install', () => {
  expect(installLine(['java', 'maven', 'redis'])).toBe('apt-get install default-jre-headless maven redis-server');
  expect(installLine(['chromium'])).toBe('apt-get install chromium');
});
