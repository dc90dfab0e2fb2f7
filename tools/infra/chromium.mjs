import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const OUTSIDE_THE_PATH = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export function chromiumPath(env = process.env) {
  if (env.CHROMIUM_PATH) return env.CHROMIUM_PATH;
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  const candidates = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...candidates, ...OUTSIDE_THE_PATH].find(isExecutable);
}

/** Chromium's sandbox refuses to run as root. A test browser needs no updates. */
export function chromiumArguments({ isRoot = process.getuid?.() === 0 } = {}) {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
  return isRoot ? ['--no-sandbox', ...quiet] : quiet;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
