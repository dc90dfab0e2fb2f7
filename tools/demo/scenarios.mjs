/** The scenarios: one is the story of one order, with every event of it and the platform's ledger checked. */
import { Expected } from '../infra/processes.mjs';
import { expectEqual } from './story.mjs';
import { TEST_CARDS } from './test-cards.mjs';
import { money } from './timeline.mjs';

const DAY_MS = 86_400_000;
const SIX_DAYS_MS = 6 * DAY_MS + 60_000;

/** `isAlone`: stops services or moves clocks, so no other scenario is under way. `play` gets the order's `Story` and the stage. */
export const SCENARIOS = [
  {
    name: 'method-a-capture-refund',
    title: 'Method A in 3 instalments: form, capture, partial refund, second capture',
    ...{ rail: 'partner-a', goods: 'chairs' },
    async play(story, { returnUrl }) {
      const returnAddress = await story.redirect();
      if (!returnAddress?.startsWith(returnUrl))
        throw new Expected(`the cardholder was sent to ${returnAddress}, not to ${returnUrl}`);
      await story.next('payment.authorize.succeeded', { origin: 'notification', extraData: 'basket=42' });
      await story.send('payment.capture', { description: 'Shipped' });
      await story.next('payment.capture.succeeded');
      await story.send('payment.refund', { description: 'One chair came back', amount: 10_000 });
      await story.next('payment.refund.succeeded', { amount: 10_000 });
      await story.send('payment.capture', { description: 'Shipped again by mistake' });
      await story.next('payment.capture.rejected', { faults: ['already_captured'] });
      await story.expectLedger({ authorization: 1, capture: 1, refund: 1 });
    },
  },
  {
    name: 'method-b-pending-approved',
    title: 'Method B: on hold for approval, then approved',
    ...{ rail: 'partner-b', goods: 'chairs' },
    async play(story, { platform }) {
      await story.redirect('pending', 'the cardholder finishes the form, the provider wants to look at it');
      const { data } = await story.next('payment.authorize.pending', { execCode: '0003' });
      await platform.approve(data.transactionId);
      story.note('the provider approves');
      await story.next('payment.authorize.succeeded', { execCode: '0000' });
      await story.expectLedger({ authorization: 1 });
    },
  },
  {
    name: 'void',
    title: 'Method A: authorized, then voided',
    ...{ rail: 'partner-a', goods: 'table' },
    async play(story) {
      await story.authorize();
      await story.send('payment.void', { description: 'Out of stock' });
      await story.next('payment.void.succeeded');
      await story.expectLedger({ authorization: 1, void: 1 });
    },
  },
  {
    name: 'same-command-twice',
    title: 'The same command twice: one call, the same event again',
    ...{ rail: 'partner-a', goods: 'lamp' },
    async play(story) {
      const order = story.exampleOf('payment.authorize');
      const id = await story.send('payment.authorize', order);
      const first = await story.next('payment.authorize.redirect_required');
      await story.send('payment.authorize', order, { id });
      const again = await story.next('payment.authorize.redirect_required', {}, { again: true });
      expectEqual('event id', first.id, again.id);
      story.note(`the same event id both times: ${again.id}`);
      await story.expectLedger({ authorization: 1 }, { authorization: 1 });
    },
  },
  {
    name: 'bad-command',
    title: 'A bad command: every fault at once, nothing sent',
    ...{ rail: 'partner-b', goods: 'bad' },
    async play(story, { shop }) {
      const order = story.exampleOf('payment.authorize');
      const command = {
        ...order,
        billing: { ...order.billing, postalCode: '44000-44000', phone: '0240000000' },
        client: { ...order.client, email: 'jeanne+shop@example.com', ip: '300.1.1.1' },
        cart: [{ ...order.cart[0], category: 'chairs', quantity: 1000 }],
        colour: 'blue',
      };
      const places = 'billing.phone billing.postalCode cart[0].category cart[0].quantity client.email client.ip colour';
      const notNamed = (faults = []) => places.split(' ').filter((name) => !faults.some(({ path }) => path === name));
      const refusal = await shop.send(story.rail, 'payment.authorize', command).catch((error) => error);
      expectEqual('fields that the client does not name', [], notNamed(refusal.faults));
      story.note(`@tranche/client refuses it: ${refusal.faults.length} faults, and nothing is published`);
      await shop.sendUnchecked(story.rail, 'payment.authorize', command);
      story.note('payment.authorize sent unchecked', 'command');
      const { data } = await story.next('payment.command.rejected');
      expectEqual('fields that the gateway does not name', [], notNamed(data.faults));
      await story.expectLedger({}, { authorization: 0 });
    },
  },
  {
    name: 'bearer-token',
    title: 'A merchant whose calls carry an access token',
    ...{ rail: 'partner-a', goods: 'sofa', merchant: 'shop-auth' },
    async play(story) {
      await story.authorize();
      story.note('the platform answers this merchant only with a valid access token: auth-service got one');
      await story.expectLedger({ authorization: 1 }, { authorization: 1 });
    },
  },
  {
    name: 'card-payment',
    title: 'Card: encrypted in the page, exchanged for a token, paid',
    ...{ rail: 'card', goods: 'lamp' },
    play: (story, stage) => payByCard(story, stage, TEST_CARDS.accepted, 'payment.pay.succeeded', '0000'),
  },
  {
    name: 'card-refused',
    title: 'Card: the bank refuses',
    ...{ rail: 'card', goods: 'lamp' },
    async play(story, stage) {
      await payByCard(story, stage, TEST_CARDS.refused, 'payment.pay.refused', '4001');
      story.note('the bank was asked once and said no; paying with another card is another command');
    },
  },
  {
    name: 'back-office-refund',
    title: 'A refund in the back office counts: no more than the rest can be refunded',
    ...{ rail: 'partner-a', goods: 'chairs' },
    async play(story, { platform, identifier }) {
      await story.authorize();
      await story.send('payment.capture', { description: 'Shipped' });
      await story.next('payment.capture.succeeded');
      await platform.refundInBackOffice(identifier, story.orderId, 10_000);
      story.note(`somebody refunds ${money(10_000)} in the back office of the platform`);
      await story.next('payment.operation.external', { operation: 'refund', amount: 10_000 });
      await story.send('payment.refund', { description: 'Two and a half chairs came back', amount: 25_000 });
      await story.next('payment.refund.rejected', { faults: ['refund_exceeds_remaining'] });
      await story.send('payment.refund', { description: 'Two chairs came back', amount: 20_000 });
      await story.next('payment.refund.succeeded');
      await story.expectLedger({ authorization: 1, capture: 1, refund: 2 }, { refund: 1 });
    },
  },
  {
    name: 'platform-timeout',
    title: 'The platform never answers: in doubt, resolved by its notification, executed once',
    ...{ rail: 'partner-a', goods: 'bench' },
    async play(story, { platform, identifier }) {
      await story.authorize();
      const capture = { operation: 'capture', orderPrefix: story.orderId };
      await platform.fault(capture, { timeout: 'after', notification: 'none' });
      await story.send('payment.capture', { description: 'Shipped' });
      await platform.called(story.orderId, 'capture');
      story.note('the platform executes, never answers, and does not notify yet');
      await story.next('payment.capture.in_doubt', { outcome: undefined });
      story.note('no answer in time: nobody here can know, so nothing is sent again');
      await platform.notify(identifier, story.orderId);
      story.note('the platform notifies at last');
      await expectResolved(story);
    },
  },
  {
    name: 'gateway-killed',
    title: 'Gateway killed between intent and answer: in doubt, resolved, executed once',
    ...{ rail: 'partner-a', goods: 'wardrobe', isAlone: true },
    async play(story, stage) {
      await story.authorize();
      await stage.platform.fault({ operation: 'capture', orderPrefix: story.orderId }, { latencyMs: 10_000 });
      await story.send('payment.capture', { description: 'Shipped' });
      await stage.platform.called(story.orderId, 'capture');
      await stage.kill('payment-gateway');
      story.note('the call has reached the platform: gateway killed (SIGKILL) before the answer');
      await stage.stop('notification-ingest');
      story.note('the webhook is away, too: the platform has to repeat its notification');
      await stage.start('payment-gateway');
      story.note('gateway started again');
      await story.next('payment.capture.in_doubt', { outcome: undefined });
      await stage.start('notification-ingest');
      story.note('the webhook is back');
      await expectResolved(story);
    },
  },
  {
    name: 'pending-expires',
    title: 'Method B: on hold, and 6 days without a word: expired',
    ...{ rail: 'partner-b', goods: 'chairs', isAlone: true },
    /** The interface says: "0003: no update, 6 days elapse: expired, considered failed" (States and transitions). */
    async play(story, stage) {
      await story.redirect('pending', 'the provider wants to look at it');
      await story.next('payment.authorize.pending');
      story.note('from now on the platform says nothing more about this order');
      await travel(stage, story, SIX_DAYS_MS, '6 days and a minute later');
      await story.next('payment.authorize.expired', { origin: 'timer' });
      await story.expectLedger(undefined, { authorization: 1 });
    },
  },
  {
    name: 'capture-window',
    title: 'Method A: a reminder after 6 days; a capture after 7 is sent, flagged and refused',
    ...{ rail: 'partner-a', goods: 'desk', isAlone: true },
    /** The interface says: "Capture later than 7 days after the authorization: success no longer guaranteed" (States and transitions). */
    async play(story, stage) {
      await story.authorize();
      await travel(stage, story, SIX_DAYS_MS, '6 days and a minute later');
      await story.next('payment.capture_window.closing', { origin: 'timer' });
      await travel(stage, story, DAY_MS, 'another day later, 7 days and a minute after the authorization');
      await story.send('payment.capture', { description: 'Shipped late' });
      await story.next('payment.capture.refused', { flags: ['capture_window_passed'], execCode: '2009' });
      story.note('sent all the same, and flagged: success is no longer guaranteed, and this platform says no');
      await story.expectLedger({ authorization: 1 }, { capture: 1 });
    },
  },
];

/** Only the page and the tokenizer see the card: it is encrypted, exchanged for a token, and the token pays. */
async function payByCard(story, { page }, card, event, execCode) {
  const { hfToken } = await page.tokenize(card, (what, body) =>
    story.note(
      what === 'key'
        ? `cse-token-service gives the page encryption key ${body.encryptionKeyId}`
        : `the tokenizer answers the encrypted card: ${body.EXECCODE} ${body.CARDCODE ?? body.MESSAGE}`,
    ),
  );
  await story.send('payment.pay', story.exampleOf('payment.pay', { hfToken, tokenizedAt: new Date().toISOString() }));
  await story.next(event, { execCode });
  await story.expectLedger({ payment: 1 }, { payment: 1 });
}

async function expectResolved(story) {
  await story.next('payment.capture.doubt_resolved', { outcome: 'succeeded', origin: 'notification' });
  await story.expectLedger({ authorization: 1, capture: 1 }, { capture: 1 });
}

async function travel(stage, story, ms, when) {
  await stage.travel(ms);
  story.note(`${when}: platform and shop have travelled, the gateway was started again with its clock moved`);
}
