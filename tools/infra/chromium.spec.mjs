import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { chromiumArguments, chromiumPath } from './chromium.mjs';

const folder = mkdtempSync(join(tmpdir(), 'tranche-path-'));
afterAll(() => rmSync(folder, { recursive: true }));

function program(path, mode = 0o755) {
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '');
  chmodSync(file, mode);
  return file;
}
const pathOf = (...names) => names.map((name) => join(folder, name)).join(delimiter);

describe('chromiumPath', () => {
  it('is what CHROMIUM_PATH says', () => {
    expect(chromiumPath({ CHROMIUM_PATH: '/opt/browser', PATH: '' })).toBe('/opt/browser');
  });

  it.each(['chromium', 'chromium-browser', 'google-chrome'])('finds %s on the PATH', (name) => {
    const file = program(`only-${name}/${name}`);
    expect(chromiumPath({ PATH: pathOf('empty', `only-${name}`) })).toBe(file);
  });

  it('takes chromium before chrome, wherever on the PATH they are', () => {
    program('first/google-chrome');
    const chromium = program('second/chromium');
    expect(chromiumPath({ PATH: pathOf('first', 'second') })).toBe(chromium);
  });

  it('does not take what can not be executed', () => {
    program('text/chromium', 0o644);
    const chrome = program('program/google-chrome');
    expect(chromiumPath({ PATH: pathOf('text', 'program') })).toBe(chrome);
  });
});

it.each([
  [true, true],
  [false, false],
])('root: %s, without the sandbox: %s', (isRoot, isWithout) => {
  expect(chromiumArguments({ isRoot }).includes('--no-sandbox')).toBe(isWithout);
});

it('every spec that starts a browser is named for it, so that `npm test` knows', () => {
  const specs = ['apps', 'libs', 'examples', 'verification']
    .flatMap((root) => readdirSync(root, { recursive: true }).map((file) => join(root, file)))
    .filter((file) => /\.spec\.ts$/.test(file) && !file.includes('node_modules'));
  const starts = /\b(?:launchBrowser|sharedBrowser|(?:join|start)BrowserStack)\(/;
  const misnamed = specs.filter(
    (file) => starts.test(readFileSync(file, 'utf8')) && !file.endsWith('.browser.e2e.spec.ts'),
  );
  expect(specs.length).toBeGreaterThan(50);
  expect(misnamed).toEqual([]);
});
