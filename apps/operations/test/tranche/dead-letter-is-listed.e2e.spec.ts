import { randomUUID } from 'node:crypto';
import { waitFor } from '@tranche/testing';
import { joinCliStage } from './cli-stage.js';

const merchant = 'shop-supersedes';

let stage: Awaited<ReturnType<typeof joinCliStage>>;
beforeAll(async () => (stage = await joinCliStage()));
afterAll(() => stage.stop());

it('a command that cannot be read is in the queue and among the dead letters, which show no escape sequence', async () => {
  const orderId = `cli-letter-${randomUUID().slice(0, 8)}`;
  await stage.sendRecord(`${merchant}/${orderId}`, Buffer.from('\u001b[31mno JSON'));
  await stage.listed('alice', 'dead_letters', merchant);
  const ask = () => stage.run('alice', 'dead-letters', '--merchant', merchant, '--order', orderId);
  const { out } = await waitFor(
    async () => {
      const answer = await ask();
      if (answer.code !== 0) throw new Error(answer.err);
      return answer.out === '' ? undefined : answer;
    },
    { what: 'the dead letter' },
  );
  expect(out).toContain(`${merchant}/${orderId}`);
  expect(out).toContain('unreadable');
  expect(out).not.toContain('\u001b');
});
