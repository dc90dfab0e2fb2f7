import { answered, asked, folded, later, notified, standing, under } from '../../test/order-story.js';
import { Seeded } from '../../test/rules-lock/seeded.js';
import { conflictsOf } from './conflicts.js';
import { fold } from './fold.js';
import { emptyOrder, verdictOf, type OrderState } from './order-state.js';
import type { Intent, JournalRecord } from './records.js';

const story = (...records: JournalRecord[]) => folded(under(2, ...records));
const verdict = (intent: Intent, ...records: JournalRecord[]) =>
  verdictOf(story(...records, intent).order, intent.token);
const authorize = asked('authorize', { method: 'A' });
const form = [authorize, answered('authorize', '0002')];
const voided = [...form, asked('void'), answered('void', '0000')];
const expired = { ...authorize, record: 'EXPIRED', at: later(7 * 86_400_000) } as JournalRecord;
const paid = notified('authorize', '0000');
const capture = asked('capture', { amount: 1_000 });

describe('a capture of a payment whose success was not heard of', () => {
  it.each([
    ['a form', form],
    ['an approval', [authorize, answered('authorize', '0003')]],
    ['a form that our timer ended', [...form, expired]],
  ])('is sent, for the platform decides: %s [Capture.succeeded-only]', (_what, records) => {
    expect(verdict(capture, ...records)).toBe('granted');
    const refused = story(...records, capture, answered('capture', '2004'));
    expect(standing(refused.order, 'authorize')).toBe(standing(folded(under(2, ...records)).order, 'authorize'));
    const done = story(...records, capture, answered('capture', '0000'));
    expect([standing(done.order, 'authorize'), standing(done.order, 'capture')]).toEqual(['ended succeeded', 'ended succeeded']); // prettier-ignore
    expect(done.events).toEqual(expect.arrayContaining(['authorize.succeeded', 'capture.succeeded']));
    expect(verdict(asked('authorize-2', { method: 'A' }), ...records, capture, answered('capture', '0000'))).toBe('rejected'); // prettier-ignore
  });

  it('is refused once the payment has failed or its form was voided [Capture.succeeded-only]', () => {
    expect(verdict(capture, authorize, answered('authorize', '4001'))).toBe('rejected');
    expect(verdict(capture, ...voided)).toBe('rejected');
    expect(verdictOf(folded([...form, capture]).order, capture.token)).toBe('rejected');
  });
});

describe('a form that is paid after its void', () => {
  it.each([
    ['after', [...voided, paid]],
    ['before the void’s answer', [...form, asked('void'), paid, answered('void', '0000')]],
  ])('is a conflict, once (%s)', (_when, records) => {
    const { order, events, bodies } = story(...records, paid);
    expect(events.filter((type) => type === 'conflict.detected')).toHaveLength(1);
    expect(bodies[events.indexOf('conflict.detected')]).toMatchObject({ commandId: 'authorize', flags: ['paid_after_void'] }); // prettier-ignore
    expect(conflictsOf(order)).toMatchObject([{ reason: 'paid_after_void', transactionId: 'T-authorize' }]);
  });

  it('can be captured, or voided once more; a new authorization has to wait for that', () => {
    const live = [...voided, paid];
    const [again, next] = [asked('void-2'), asked('authorize-2', { method: 'A' })];
    expect([capture, again, next].map((intent) => verdict(intent, ...live))).toEqual([
      'granted',
      'granted',
      'rejected',
    ]);
    const cancelled = [...live, again, answered('void-2', '0000')];
    expect([capture, next].map((intent) => verdict(intent, ...cancelled))).toEqual(['rejected', 'granted']);
    expect(conflictsOf(story(...cancelled).order)).toEqual([]);
  });

  it('is not captured beside the authorization that took its place', () => {
    const second = [...voided, asked('authorize-2', { method: 'A' }), answered('authorize-2', '0002')];
    expect(verdict(capture, ...second, paid)).toBe('rejected');
    expect(verdict(capture, ...second, notified('authorize-2', '4001'), paid)).toBe('granted');
  });
});

/** The platform of one order, which lets a voided form be paid. Reports of payments come late, or never. */
it('nothing is charged twice over all orders of captures, voids, payments and new authorizations', () => {
  const seen = { charged: 0, unheard: 0, conflicts: 0 };
  for (let seed = 0; seed < 1_500; seed++) {
    const random = new Seeded(seed);
    const platform = new Map<string, 'form' | 'paid' | 'voided' | 'captured'>();
    const under2: JournalRecord[] = [];
    let order: OrderState = emptyOrder('shop-fr', 'order-1');
    let reports: JournalRecord[] = [];
    let number = 0;
    const land = (record: JournalRecord) => {
      const { order: next, effects } = fold(order, { ...record, rulesVersion: 2 }, BigInt(under2.push(record)));
      order = next;
      seen.conflicts += effects.filter(({ event }) => event.body.flags?.includes('paid_after_void')).length;
    };
    const command = (kind: 'authorize' | 'capture' | 'void', of?: string) => {
      const name = `${kind}-${++number}`;
      const intent = asked(name, { method: 'A', ...(of === undefined ? {} : { transactionId: of }) });
      land(intent);
      if (verdictOf(order, intent.token) !== 'granted') return;
      const state = platform.get(of ?? '');
      if (kind === 'authorize') platform.set(`T-${name}`, 'form');
      const isDone =
        kind === 'authorize' || (kind === 'capture' ? state === 'paid' : state === 'paid' || state === 'form');
      if (kind === 'capture' && isDone) platform.set(of!, 'captured');
      if (kind === 'capture' && isDone && !order.operations.some((one) => one.transactionId === of && one.end === 'succeeded')) seen.unheard++; // prettier-ignore
      if (kind === 'void' && state === 'paid') platform.set(of!, 'voided');
      if (random.chance(0.3)) deliver();
      land(answered(name, isDone ? (kind === 'authorize' ? '0002' : '0000') : '2004'));
    };
    const deliver = () => {
      const arriving = reports.filter(() => random.chance(0.6));
      reports = reports.filter((one) => !arriving.includes(one));
      arriving.forEach(land);
    };
    for (let step = 0; step < 14; step++) {
      const ids = [...platform.keys()];
      const id = random.pick(ids);
      const drawn = random.below(6);
      if (drawn === 0 || id === undefined) command('authorize');
      else if (drawn <= 2) command('capture', id);
      else if (drawn === 3) command('void', id);
      else if (drawn === 4) deliver();
      else if (platform.get(id) === 'form') {
        platform.set(id, 'paid');
        if (random.chance(0.8)) reports.push(notified(id.slice(2), '0000'));
      }
      const charged = [...platform.values()].filter((state) => state === 'captured').length;
      if (charged > 1) throw new Error(`seed ${seed} charges ${charged} times: ${JSON.stringify(under2)}`);
      seen.charged += charged;
    }
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(50);
});
