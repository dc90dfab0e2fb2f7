import { waitFor } from '@tranche/testing';
import { demos } from '../demo/test/started-demo.mjs';
import { processesWith } from '../infra/test/processes-with.mjs';

const { temporary, start, leftOvers } = demos();

it('stopped by SIGTERM with all services up: ends by it, and nothing is left', async () => {
  const { demo, said, exited } = start();
  await waitFor(() => said.stderr.includes('all services are ready'), {
    timeoutMs: 180_000,
    what: 'the services of the demo',
  });
  demo.kill('SIGTERM');
  await expect(exited).resolves.toBe(143);
  expect(leftOvers()).toEqual([]);
  expect(processesWith(temporary)).toEqual([]);
}, 240_000);
