/** Each scenario plays one order's story, and checks every event of it and the platform's ledger. */
import { Expected } from '../infra/processes.mjs';
import { cardPayment, cardRefused, keyRotated } from './card-scenarios.mjs';
import { gatewayKilled, timedOut } from './doubt-scenarios.mjs';
import { digitalOrder, newOrderId, partnerAOrder, partnerBOrder } from './orders.mjs';
import { faultCodes, must } from './story.mjs';
import { captureWindow, pendingExpires } from './time-scenarios.mjs';
import { difference, money } from './timeline.mjs';

/**
 * In the order of the story, those that travel in time last; `play` gets the order's `Story` and what the stage offers. `isBeside`: waits most of
 * its time, so it is played beside the others. `isAlone`: stops services or moves clocks, so no other one is under way.
 */
export const SCENARIOS = [
  {
    name: 'method-a-capture-refund',
    title: 'Method A in 3 instalments: form, capture, partial refund, second capture',
    play: methodA,
  },
  { name: 'method-b-pending-approved', title: 'Method B: on hold for approval, then approved', play: methodB },
  {
    name: 'digital-goods',
    title: 'Method B: a digital article without brand, delivered in ten days',
    play: digitalGoods,
  },
  { name: 'void', title: 'Method A: authorized, then voided', play: voided },
  { name: 'same-command-twice', title: 'The same command twice: one call, the same event again', play: twice },
  { name: 'bad-command', title: 'A bad command: every fault at once, nothing sent', play: badCommand },
  { name: 'bearer-token', title: 'A merchant whose calls carry an access token', play: bearerToken },
  { name: 'card-payment', title: 'Card: encrypted in the page, exchanged for a token, paid', play: cardPayment },
  { name: 'card-refused', title: 'Card: the bank refuses', play: cardRefused },
  { name: 'key-rotated', title: 'Card: the key is replaced between page and tokenizer; one payment', play: keyRotated },
  {
    name: 'back-office-refund',
    title: 'A refund in the back office counts: no more than the rest can be refunded',
    play: backOfficeRefund,
  },
  {
    name: 'gateway-killed',
    title: 'Gateway killed between intent and answer: in doubt, resolved, executed once',
    play: gatewayKilled,
    isAlone: true,
  },
  {
    name: 'platform-timeout',
    title: 'The platform never answers: in doubt, resolved by its notification, executed once',
    play: timedOut,
    isBeside: true,
  },
  {
    name: 'pending-expires',
    title: 'Method B: on hold, and 6 days without a word: expired',
    play: pendingExpires,
    isAlone: true,
  },
  {
    name: 'capture-window',
    title: 'Method A: a reminder after 6 days; a capture after 7 is sent, flagged and refused',
    play: captureWindow,
    isAlone: true,
  },
];

async function methodA(stage) {
  const story = stage.story('partner-a', newOrderId('chairs'));
  await story.send('payment.authorize', partnerAOrder(story.orderId));
  const redirected = await story.next('payment.authorize.redirect_required');
  must(difference('EXECCODE', '0002', redirected.data.execCode));
  const returnAddress = await story.decide(redirected, 'validate', 'the cardholder validates on the form');
  if (!returnAddress?.startsWith(stage.returnUrl))
    throw new Expected(`the cardholder was sent to ${returnAddress}, not to ${stage.returnUrl}`);
  const authorized = await story.next('payment.authorize.succeeded');
  must(difference('origin', 'notification', authorized.data.origin));
  must(difference('extraData', 'basket=42', authorized.data.extraData));
  await story.send('payment.capture', { description: 'Shipped' });
  await story.next('payment.capture.succeeded');
  await story.send('payment.refund', { description: 'One chair came back', amount: 10_000 });
  const refunded = await story.next('payment.refund.succeeded');
  must(difference('refunded amount', 10_000, refunded.data.amount));
  await story.send('payment.capture', { description: 'Shipped again by mistake' });
  const second = await story.next('payment.capture.rejected');
  must(difference('fault', ['already_captured'], faultCodes(second)));
  await story.executes({ authorization: 1, capture: 1, refund: 1 });
}

async function methodB(stage) {
  const story = stage.story('partner-b', newOrderId('chairs'));
  await story.send('payment.authorize', partnerBOrder(story.orderId));
  const redirected = await story.next('payment.authorize.redirect_required');
  await story.decide(redirected, 'pending', 'the cardholder finishes the form, the provider wants to look at it');
  const pending = await story.next('payment.authorize.pending');
  must(difference('EXECCODE', '0003', pending.data.execCode));
  await stage.platform.approve(pending.data.transactionId);
  story.note('the provider approves');
  const approved = await story.next('payment.authorize.succeeded');
  must(difference('EXECCODE', '0000', approved.data.execCode));
  await story.executes({ authorization: 1 });
}

async function digitalGoods(stage) {
  const story = stage.story('partner-b', newOrderId('course'));
  await story.send('payment.authorize', digitalOrder(story.orderId));
  const redirected = await story.next('payment.authorize.redirect_required');
  await story.decide(redirected, 'validate', 'the cardholder validates on the form');
  const authorized = await story.next('payment.authorize.succeeded');
  must(difference('EXECCODE', '0000', authorized.data.execCode));
  await story.executes({ authorization: 1 });
}

async function voided(stage) {
  const story = stage.story('partner-a', newOrderId('table'));
  await story.authorizeWithMethodA();
  await story.send('payment.void', { description: 'Out of stock' });
  await story.next('payment.void.succeeded');
  await story.executes({ authorization: 1, void: 1 });
}

async function twice(stage) {
  const story = stage.story('partner-a', newOrderId('lamp'));
  const order = partnerAOrder(story.orderId);
  const id = await story.send('payment.authorize', order);
  const first = await story.next('payment.authorize.redirect_required');
  await story.send('payment.authorize', order, { id });
  const again = await story.next('payment.authorize.redirect_required', { again: true });
  must(difference('event id', first.id, again.id));
  story.note(`the same event id both times: ${again.id}`);
  must(difference('calls', 1, (await stage.platform.ledger(story.orderId)).calls.length));
  await story.executes({ authorization: 1 });
}

async function badCommand(stage) {
  const story = stage.story('partner-b', newOrderId('bad'));
  const order = partnerBOrder(story.orderId);
  const command = {
    ...order,
    amount: 250_000,
    billing: { ...order.billing, postalCode: '44000-44000', phone: '0240000000' },
    client: { ...order.client, email: 'jeanne+shop@example.com', ip: '300.1.1.1' },
    cart: [{ ...order.cart[0], category: 'chairs', quantity: 1000 }],
    colour: 'blue',
  };
  const wrong = [
    'billing.phone',
    'billing.postalCode',
    'cart[0].category',
    'cart[0].quantity',
    'client.email',
    'client.ip',
    'colour',
  ];
  const notNamed = (faults = []) => wrong.filter((name) => !faults.some(({ path }) => path === name));
  const refusal = await stage.shop.send(story.rail, 'payment.authorize', command).catch((error) => error);
  must(difference('fields that the client does not name', [], notNamed(refusal.faults)));
  story.note(`@tranche/client refuses it: ${refusal.faults.length} faults, and nothing is published`);
  await story.sendUnchecked('payment.authorize', command);
  const rejected = await story.next('payment.command.rejected');
  must(difference('fields that the gateway does not name', [], notNamed(rejected.data.faults)));
  must(difference('calls', 0, (await stage.platform.ledger(story.orderId)).calls.length));
}

async function bearerToken(stage) {
  const story = stage.story('partner-a', newOrderId('sofa'), 'shop-auth');
  await story.send('payment.authorize', partnerAOrder(story.orderId, { merchant: story.merchant }));
  await story.decide(
    await story.next('payment.authorize.redirect_required'),
    'validate',
    'the cardholder validates on the form',
  );
  await story.next('payment.authorize.succeeded');
  story.note('the platform answers this merchant only with a valid access token: auth-service got one');
  must(
    difference(
      'answers',
      ['0002'],
      (await stage.platform.ledger(story.orderId)).calls.map(({ answered }) => answered),
    ),
  );
  await story.executes({ authorization: 1 });
}

async function backOfficeRefund(stage) {
  const story = stage.story('partner-a', newOrderId('chairs'));
  await story.authorizeWithMethodA();
  await story.send('payment.capture', { description: 'Shipped' });
  await story.next('payment.capture.succeeded');
  await stage.platform.refundInBackOffice(stage.identifier, story.orderId, 10_000);
  story.note(`somebody refunds ${money(10_000)} in the back office of the platform`);
  const external = await story.next('payment.operation.external');
  must(
    difference(
      'external operation',
      { operation: 'refund', amount: 10_000 },
      pick(external.data, ['operation', 'amount']),
    ),
  );
  await story.send('payment.refund', { description: 'Two and a half chairs came back', amount: 25_000 });
  must(difference('fault', ['refund_exceeds_remaining'], faultCodes(await story.next('payment.refund.rejected'))));
  await story.send('payment.refund', { description: 'Two chairs came back', amount: 20_000 });
  await story.next('payment.refund.succeeded');
  must(difference('refund calls', 1, await story.calls('refund')));
  await story.executes({ authorization: 1, capture: 1, refund: 2 });
}

const pick = (from, names) => Object.fromEntries(names.map((name) => [name, from[name]]));
