import { asked, folded, later, lost, notified, operatorSays, under } from '../../test/order-story.js';
import { standingOf } from './history.js';
import type { OrderState } from './order-state.js';
import type { LookedUp } from './records.js';
import { snapshotOf } from './snapshot.js';
import { recordWriter } from './versions.js';

const lookedUp = (minutes: number, result: LookedUp['result'] = 'nothing'): LookedUp => ({
  ...{ record: 'LOOKED_UP', rulesVersion: 2, merchant: 'shop-fr', orderId: 'order-1', at: later(minutes * 60_000) },
  ...{ commandId: 'authorize', attempt: 1, result },
});
const doubt = under(2, asked('authorize'), lost('authorize'));
const lookUpsOf = ({ operations }: OrderState) => operations[0]?.lookUps;

it('an order has the last five look-ups, with time and result', () => {
  const { order, events } = folded([...doubt, ...[1, 2, 3, 4, 5].map((at) => lookedUp(at)), lookedUp(6, 'failed')]);
  expect(lookUpsOf(order)).toEqual([
    ...[2, 3, 4, 5].map((minutes) => ({ at: later(minutes * 60_000), result: 'nothing' })),
    { at: later(360_000), result: 'failed' },
  ]);
  expect(events).toEqual(['authorize.in_doubt']);
});

it('a look-up moves nothing: what people saw still counts, and the order is forgotten no later', () => {
  const before = folded(doubt).order;
  const { order } = folded([lookedUp(1)], before);
  expect([standingOf(order), order.movedAt, order.operations[0]?.phase]).toEqual([
    standingOf(before),
    before.movedAt,
    'in_doubt',
  ]);
  const seen = standingOf(before);
  const said = under(2, { ...operatorSays('authorize', 'succeeded', { transactionId: 'T-1' }), seen });
  expect(folded(said, order).order.operations[0]?.statements).toMatchObject([{ verdict: 'counted' }]);
});

it('evidence says when it was written, and who reported it', () => {
  const at = later(60_000);
  const { order } = folded(under(2, asked('authorize'), lost('authorize'), { ...notified('authorize', '0000'), at }));
  expect(order.operations[0]?.evidence).toEqual([
    { attempt: 1, transactionId: 'T-authorize', code: '0000', at, source: 'notification' },
  ]);
});

it('a snapshot holds neither: it is what releases before would write', () => {
  const { order } = folded([...doubt, lookedUp(1), ...under(2, notified('authorize', '0000'))]);
  const [operation] = snapshotOf(order, later(0)).operations;
  expect(operation).not.toHaveProperty('lookUps');
  expect(operation?.evidence).toEqual([{ attempt: 1, transactionId: 'T-authorize', code: '0000' }]);
});

it('an installation of rules version 1 writes none', () => {
  expect(() => recordWriter(1)(lookedUp(1))).toThrow('LOOKED_UP is not written under rules version 1');
});
