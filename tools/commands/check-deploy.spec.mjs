import { lastLine } from './check-deploy.mjs';
import { skippedIn } from './verify.mjs';

describe('check-deploy ends with a line that counts', () => {
  it('what was checked', () =>
    expect(lastLine({ done: ['a', 'b'], faults: [], skipped: [] })).toBe(
      'check-deploy: 2 passed, 0 failed, skipped 0',
    ));

  it('and what was skipped, with the command that fetches the tools', () => {
    expect(lastLine({ done: [], faults: ['x'], skipped: ['helm', 'promtool'] })).toBe(
      'check-deploy: 0 passed, 1 failed, skipped 2: `sh deploy/fetch-tools.sh` fetches the tools',
    );
  });
});

it('verify shows what a step skipped, though it passed, and not what was checked', () => {
  const lines = [
    'ok       helm lint',
    '  skipped  rules: promtool is missing',
    'check-deploy: 1 passed, 0 failed, skipped 1: x',
    'check-deploy: 1 passed, 0 failed, skipped 0',
  ];
  expect(skippedIn(lines)).toEqual([
    'skipped  rules: promtool is missing',
    'check-deploy: 1 passed, 0 failed, skipped 1: x',
  ]);
});
