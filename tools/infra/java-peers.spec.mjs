import { javaPeers } from './java-peers.mjs';
import { ensurePackages } from './packages.mjs';
import { Expected } from './processes.mjs';

jest.mock('./packages.mjs', () => ({ ensurePackages: jest.fn() }));

it('names the peers that are left out where a machine can not build them', async () => {
  ensurePackages.mockRejectedValueOnce(new Expected('Maven missing: install with "apt-get install maven"'));
  const log = jest.fn();
  await expect(javaPeers({ log })).resolves.toBeUndefined();
  expect(log.mock.calls).toEqual([
    [
      'parallel-consumer, parallel-consumer-vertx and spring-kafka are left out: Maven missing: install with "apt-get install maven"',
    ],
  ]);
});

it('does not hide a fault of its own', async () => {
  ensurePackages.mockRejectedValueOnce(new TypeError('x is not a function'));
  await expect(javaPeers({ log: jest.fn() })).rejects.toThrow('x is not a function');
});
