import { aPartnerBAuthorization, waitFor } from '@tranche/testing';
import { joinCliStage } from './cli-stage.js';

const merchant = 'shop-approval';
const orderId = 'cli-conflict-1';
const order = `${merchant}/${orderId}`;

let stage: Awaited<ReturnType<typeof joinCliStage>>;
beforeAll(async () => (stage = await joinCliStage()));
afterAll(() => stage.stop());

it('a conflict is made, listed, settled by two people and gone, by `tranche` alone', async () => {
  const { run } = stage;
  await stage.send('payment.authorize', aPartnerBAuthorization({ merchant, orderId }));
  const transactionId = await waitFor(
    async () => {
      const { out } = await run('alice', 'show', order, '-o', 'json');
      const { state } = JSON.parse(out) as { state: { operations: { transactionId?: string }[] } };
      return state.operations[0]?.transactionId;
    },
    { what: 'an answer of the platform' },
  );
  for (const execCode of ['0000', '4001'])
    await stage.notify({ merchant, orderId, operationType: 'authorization', transactionId, execCode });
  await stage.listed('alice', 'conflict', merchant, orderId);

  const said = ['settle', order, 'kept', '--reason', 'The back office shows it paid, ticket 815'];
  expect(await run('alice', ...said, '--yes')).toMatchObject({ code: 2, err: expect.stringContaining('result') });
  const whole = [...said, '--result', 'succeeded'];
  expect(await run('alice', ...whole, '--dry-run')).toMatchObject({ code: 0, err: expect.stringContaining('payment.conflict.settled') });
  expect(await run('alice', ...whole, '--yes')).toMatchObject({ code: 7 });
  expect(await run('bob', 'approve', order, '--yes')).toMatchObject({ code: 0, err: expect.stringContaining('it counted') });
  await stage.gone('alice', 'conflict', merchant, orderId);
  expect(await run('alice', ...whole, '--yes')).toMatchObject({ code: 3, err: expect.stringContaining('no conflict') });
}); // prettier-ignore
