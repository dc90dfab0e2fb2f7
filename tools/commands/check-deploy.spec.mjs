import { lastLine } from './check-deploy.mjs';

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
