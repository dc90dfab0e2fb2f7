import { answered, asked, captured, expired, folded, lost, notified, under } from '../../test/order-story.js';
import { Seeded } from '../../test/rules-lock/seeded.js';
import type { JournalRecord } from './records.js';

const story = (...records: JournalRecord[]) => folded(under(2, ...records));
const returned = { extraData: 'basket=42', language: 'fr' };

it('EXTRADATA and LANGUAGE that come behind the answer are published, once', () => {
  const report = notified('capture', '0000', returned);
  const { bodies, events } = story(...captured, report, report);
  expect(events.slice(2)).toEqual(['capture.succeeded']);
  expect(bodies.at(-1)).toMatchObject({ ...returned, flags: ['extra_data_added', 'language_added'] });
  const refused = story(asked('authorize'), answered('authorize', '4001'), notified('authorize', '4001', returned));
  expect(refused.events).toEqual(['authorize.refused', 'authorize.refused']);
  expect(refused.bodies.at(-1)).toMatchObject({ ...returned, execCode: '4001' });
  expect(folded([...captured, report]).events).toHaveLength(2);
});

it('of 200 orders the events of every operation have them, whatever came first', () => {
  const missing: string[] = [];
  for (let seed = 0; seed < 200; seed++) {
    const random = new Seeded(seed);
    const records: JournalRecord[] = [];
    const names = ['authorize', ...random.pick([['void'], ['capture'], ['capture', 'refund'], ['capture', 'refund', 'refund-2']])]; // prettier-ignore
    for (const name of names) {
      const amount = name.startsWith('refund') ? { amount: 1_000 } : {};
      const code = name === names.at(-1) && random.chance(0.3) ? '4001' : '0000';
      const report = notified(name, code, { ...returned, answer: random.chance(0.5) ? amount : {} });
      const answer = random.chance(0.2) ? lost(name) : answered(name, code);
      records.push(asked(name, amount), ...(random.chance(0.5) ? [report, answer] : [answer, report]));
    }
    const { bodies } = story(...records);
    for (const name of names) {
      const own = bodies.filter(({ commandId }) => commandId === name);
      for (const field of ['extraData', 'language'] as const)
        if (!own.some((body) => body[field] === returned[field])) missing.push(`${seed} ${name} ${field}`);
    }
  }
  expect(missing).toEqual([]);
});

it('an end by time says if the payment may yet succeed', () => {
  const after = (method: 'A' | 'B', code: string, days: number) =>
    story(asked('authorize', { method }), answered('authorize', code), { ...expired('authorize'), at: new Date(Date.parse(asked('authorize').at) + days * 86_400_000).toISOString() }).bodies.at(-1)?.mayYetSucceed; // prettier-ignore
  expect([after('B', '0003', 6), after('A', '0003', 6), after('A', '0002', 7)]).toEqual([false, true, true]);
  expect(folded([asked('authorize'), answered('authorize', '0003'), expired('authorize')]).bodies.at(-1)).not.toHaveProperty('mayYetSucceed'); // prettier-ignore
});
