import { startApp, type RunningApp } from '@tranche/testing';

describe('the built cse-token-service', () => {
  let app: RunningApp | undefined;
  afterEach(async () => {
    await app?.stop('SIGKILL');
    app = undefined;
  });

  it('without settings names all that is missing in one message and ends with 78', async () => {
    app = await startApp(
      'cse-token-service',
      { MERCHANTS_FILE: '/nowhere', CSE_TIMEOUT_MS: 'soon' },
      { readyPath: undefined },
    );
    expect(await app.exited).toBe(78);
    expect(app.logs[0]).toBe('cse-token-service cannot start, 4 settings are wrong:');
    const names = app.logs.slice(1).map((line) => /^ {2}(\w+): \S/.exec(line)?.[1]);
    expect(names.sort()).toEqual(['CSE_KEYS_URL', 'CSE_ORIGINS', 'CSE_TIMEOUT_MS', 'MERCHANTS_FILE']);
  });
});
