import { answered, asked, folded, lost, notified, notifiedElsewhere, operatorSays } from '../../test/order-story.js';
import { findOperation } from './order-state.js';

const captured = [
  asked('authorize'),
  answered('authorize', '0000'),
  asked('capture'),
  answered('capture', '0000', { amount: 30_000 }),
];

describe('references of a refund (method B)', () => {
  const references = { externalEntityId: '4711', externalReference: '000012345' };
  const refund = [...captured, asked('refund')];
  const withReferences = (change = {}) => notified('refund', '0000', { ...references, ...change });

  it('come with the event of the notification that settles it', () => {
    const { events, bodies } = folded([...refund, withReferences(), answered('refund', '0000'), withReferences()]);
    expect(events.slice(2)).toEqual(['refund.succeeded']);
    expect(bodies.at(-1)).toMatchObject(references);
  });

  it('come in a further event where the answer was first, once', () => {
    const { order, events, bodies } = folded([
      ...refund,
      answered('refund', '0000'),
      withReferences(),
      withReferences(),
    ]);
    expect(events.slice(2)).toEqual(['refund.succeeded', 'refund.succeeded']);
    expect(bodies.at(-1)).toMatchObject({
      commandId: 'refund',
      transactionId: 'T-refund',
      origin: 'notification',
      flags: ['references_added'],
      ...references,
    });
    expect(findOperation(order, 'refund')?.latest?.body).toMatchObject(references);
  });

  it('come after an operator’s word too', () => {
    expect(
      folded([...refund, lost('refund'), operatorSays('refund', 'succeeded'), withReferences()]).events.slice(-2),
    ).toEqual(['refund.doubt_resolved', 'refund.succeeded']);
  });

  it('come when a repetition of the same word brings them at last', () => {
    expect(
      folded([...refund, answered('refund', '0000'), notified('refund', '0000'), withReferences()]).bodies.at(-1),
    ).toMatchObject(references);
  });

  it('come with a refund of the back office, and with a contradiction', () => {
    const office = { ...notifiedElsewhere('refund', '0000', { transactionId: 'T-office' }), ...references };
    expect(folded([...captured, office]).bodies.at(-1)).toMatchObject(references);
    expect(folded([...refund, answered('refund', '4001'), withReferences()]).bodies.at(-1)).toMatchObject(references);
  });

  it.each([
    ['none', {}],
    ['not of the interface’s form', { externalReference: 'n1', externalEntityId: '12345678901' }],
  ])('%s: nothing is said', (_what, change) => {
    const { events } = folded([...refund, answered('refund', '0000'), notified('refund', '0000', change)]);
    expect(events.slice(2)).toEqual(['refund.succeeded']);
  });

  it('of other operations say nothing', () => {
    expect(folded([...captured, notified('capture', '0000', references)]).events).toEqual([
      'authorize.succeeded',
      'capture.succeeded',
    ]);
  });
});
