import type { Rail } from '@tranche/contracts';
import {
  aCapture,
  aCardPayment,
  aPartnerAAuthorization,
  aPartnerBAuthorization,
  aRefund,
  aVoid,
} from '@tranche/testing';
import type { LoadOrder } from './load-order.js';

type Story = (order: LoadOrder) => Promise<void>;

/** The platform's simulator reads the last four digits as a wanted EXECCODE, so these have no such meaning. */
const AMOUNTS = [24_000, 30_000, 45_500, 90_000, 120_000] as const;
/** 24,001 is refused by the bank (4001). */
const REFUSED_AMOUNT = 24_001;
/** 15,004 is executed and answered with 5004, so only the notification brings the result. */
const DOUBTFUL_AMOUNT = 15_004;
/** Leaves no room for a tag. */
const LONG_EXTRADATA = 'x'.repeat(255);

/** Possible lives of an order. A story whose next step is impossible throws and ends there; this is no failure. */
export const STORIES = {
  'capture-refund': async (order) => {
    const amount = await authorized(order);
    await order.succeeds(capture(order));
    await order.succeeds(refund(order, { amount: part(order, amount) }));
    await order.succeeds(refund(order));
  },

  'partial-capture': async (order) => {
    const amount = part(order, await authorized(order));
    await order.succeeds(capture(order, { amount }));
    await order.succeeds(refund(order, { amount }));
  },

  void: async (order) => {
    await authorized(order);
    await order.succeeds(order.send('partner-a', 'payment.void', aVoid(order.name)));
  },

  /** The second capture must never be sent. */
  'capture-twice': async (order) => {
    await authorized(order);
    const both = [capture(order), capture(order)];
    await Promise.all(both.map((id) => order.ends(id)));
  },

  /** All are sent at once, so each must wait for the one before it. */
  burst: async (order) => {
    const amount = await authorized(order);
    const all = [capture(order), refund(order, { amount: part(order, amount) }), refund(order)];
    await Promise.all(all.map((id) => order.ends(id)));
  },

  /** Method B: on hold (0003), or validated at once. */
  approved: async (order) => {
    const amount = order.random.pick(AMOUNTS);
    const id = order.send('partner-b', 'payment.authorize', aPartnerBAuthorization({ ...order.name, amount }));
    const page = await order.redirects(id);
    if (order.random.chance(0.7)) {
      await order.platform.decide(page, 'pending');
      await order.platform.approve(await order.waitsForApproval(id));
    } else await order.platform.decide(page, 'validate');
    await order.succeeds(id);
    await order.succeeds(order.send('partner-b', 'payment.capture', aCapture(order.name)));
    await order.succeeds(refund(order, { amount: part(order, amount) }, 'partner-b'));
  },

  card: async (order) => {
    const amount = order.random.pick(AMOUNTS);
    const hfToken = await order.platform.cardToken();
    const tokenizedAt = new Date().toISOString();
    await order.succeeds(
      order.send('card', 'payment.pay', aCardPayment({ ...order.name, amount, hfToken, tokenizedAt })),
    );
    await order.succeeds(refund(order, { amount: part(order, amount) }, 'card'));
  },

  /** A refund in the back office counts against the remaining amount. */
  'back-office': async (order) => {
    const amount = await authorized(order);
    await order.succeeds(capture(order));
    await order.platform.refundInBackOffice(order.name.orderId, part(order, amount));
    await order.hearsOfAnother();
    await order.ends(refund(order, { amount }));
    await order.succeeds(refund(order));
  },

  /** Every command is sent twice: again at once, or again after it has ended. One id is also sent with another content. */
  'same-twice': async (order) => {
    const data = aPartnerAAuthorization({ ...order.name, amount: order.random.pick(AMOUNTS) });
    const id = order.send('partner-a', 'payment.authorize', data);
    if (order.random.chance(0.5)) order.send('partner-a', 'payment.authorize', data, id);
    await order.platform.decide(await order.redirects(id), 'validate');
    await order.succeeds(id);
    order.send('partner-a', 'payment.authorize', data, id);
    const captured = capture(order);
    order.send('partner-a', 'payment.capture', aCapture(order.name), captured);
    await order.succeeds(captured);
    order.send('partner-a', 'payment.capture', aCapture(order.name), captured);
    order.send('partner-a', 'payment.capture', aCapture({ ...order.name, description: 'Another one' }), captured);
  },

  /** The cardholder returns to the shop and begins anew. Sometimes the first form is still open, and the cardholder finishes both. */
  superseded: async (order) => {
    const amount = order.random.pick(AMOUNTS);
    const first = authorize(order, { amount });
    const firstPage = await order.redirects(first);
    const second = authorize(order, { amount, supersedes: first });
    await order.platform.decide(await order.redirects(second), 'validate');
    const { data } = await order.succeeds(second);
    if (order.random.chance(0.3)) await order.platform.decide(firstPage, 'validate');
    await order.succeeds(capture(order, { transactionId: data.transactionId! }));
  },

  /** The bank refuses or the cardholder abandons; then another command tries again. */
  refused: async (order) => {
    const isByBank = order.random.chance(0.5);
    const amount = isByBank ? REFUSED_AMOUNT : order.random.pick(AMOUNTS);
    const id = authorize(order, { amount });
    if (!isByBank) await order.platform.decide(await order.redirects(id), 'abandon');
    await order.ends(id);
    await authorized(order);
  },

  /** The platform itself does not know the result yet (5004). */
  'in-doubt': async (order) => {
    await authorized(order);
    await order.succeeds(capture(order, { amount: DOUBTFUL_AMOUNT }));
    await order.succeeds(refund(order));
  },

  'left-alone': async (order) => {
    await order.redirects(authorize(order, {}));
  },

  /** The notifications name no operation of ours. */
  untagged: async (order) => {
    await authorized(order);
    await order.succeeds(capture(order, { extraData: LONG_EXTRADATA }));
    await order.succeeds(refund(order, { extraData: LONG_EXTRADATA }));
  },
} as const satisfies Record<string, Story>;

export type StoryName = keyof typeof STORIES;
export const STORY_NAMES = Object.keys(STORIES) as StoryName[];

type Fields = Partial<Record<'amount', number> & Record<'extraData' | 'supersedes' | 'transactionId', string>>;

const authorize = (order: LoadOrder, fields: Fields): string =>
  order.send('partner-a', 'payment.authorize', aPartnerAAuthorization({ ...order.name, ...fields }));

/** Captures the whole authorization without an amount. */
const capture = (order: LoadOrder, fields: Fields = {}): string =>
  order.send('partner-a', 'payment.capture', aCapture({ ...order.name, ...fields }));

/** Refunds all that remains without an amount. */
const refund = (order: LoadOrder, fields: Fields = {}, rail: Rail = 'partner-a'): string =>
  order.send(rail, 'payment.refund', aRefund({ ...order.name, ...fields }));

/** Authorizes by method A up to the cardholder's decision. Returns the amount. */
async function authorized(order: LoadOrder): Promise<number> {
  const amount = order.random.pick(AMOUNTS);
  const id = authorize(order, { amount });
  await order.platform.decide(await order.redirects(id), 'validate');
  await order.succeeds(id);
  return amount;
}

const part = ({ random }: LoadOrder, amount: number): number => 100 * (1 + random.below(amount / 100 - 1));
