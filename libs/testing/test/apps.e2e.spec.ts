import { startSimulator, waitFor, type RunningApp } from '../src/index.js';

describe('startApp', () => {
  let simulator: RunningApp | undefined;
  afterEach(() => simulator?.stop('SIGKILL'));

  it('starts a built app on a free port, waits until it is ready, and ends it', async () => {
    simulator = await startSimulator();
    expect((await fetch(`${simulator.managementUrl}/health/live`)).status).toBe(200);
    expect(simulator.killed).toBe(false);
    expect(await simulator.stop()).toBe(0);
    expect(simulator.killed).toBe(true);
    await expect(fetch(simulator.url)).rejects.toThrow();
  });

  it('says what an app printed that ends before it is ready', async () => {
    await expect(startSimulator({ MERCHANTS_FILE: 'config/no-such-file.json' })).rejects.toThrow(
      /platform-simulator ended with \d+\n[\s\S]*no-such-file/,
    );
  });

  it('tells of an end by a signal', async () => {
    simulator = await startSimulator();
    process.kill(simulator.pid, 'SIGKILL');
    expect(await simulator.exited).toBe('SIGKILL');
    await waitFor(() => simulator?.killed, { what: 'the end to be known' });
  });
});
