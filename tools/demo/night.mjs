/** A bad night for the page of operations: doubts, a conflict, a proposal and forged notifications, on a running stack. */
import { setTimeout as delay } from 'node:timers/promises';
import { Expected } from '../infra/processes.mjs';
import { Story } from './story.mjs';

const TIMEOUT_MS = 60_000;

/**
 * `stage`: `{ shop, platform, identifier }`; `ask(person, path, body)` is operations' API. Resolves to the orders by what became of them.
 */
export async function playNight({ stage, ask, ingestUrl }) {
  const { platform, identifier } = stage;
  const doubt = async (goods, operation, fault = { executeThenReset: true, notification: 'none' }) => {
    const story = new Story(stage, { rail: 'partner-a', goods });
    await story.authorize();
    if (operation === 'refund') {
      await story.send('payment.capture', { description: 'Shipped' });
      await story.next('payment.capture.succeeded');
    }
    await platform.fault({ operation, orderPrefix: story.orderId }, fault);
    await story.send(`payment.${operation}`, {
      description: 'Shipped',
      ...(operation === 'refund' && { amount: 20_000 }),
    });
    await story.next(`payment.${operation}.in_doubt`);
    return story;
  };
  const propose = async (story, outcome) => {
    const item = await listed(ask, story, 'doubt');
    return ask('olga', `operations/${item.id}/resolve`, { outcome, reason: 'The back office shows it, ticket 812' });
  };

  const captured = await doubt('sofa', 'capture');
  const refunded = await doubt('mirror', 'refund');
  const proposed = await doubt('bench', 'capture');
  const contradicted = await doubt('wardrobe', 'capture');
  await doubt('table', 'capture');

  const { id } = await propose(contradicted, 'refused');
  await ask('demo', `proposals/${id}/approve`, {});
  await contradicted.next('payment.capture.doubt_resolved');
  await platform.notify(identifier, contradicted.orderId);
  await listed(ask, contradicted, 'conflict');
  await propose(proposed, 'succeeded');

  const forged = new URLSearchParams({
    IDENTIFIER: identifier,
    OPERATIONTYPE: 'capture',
    ORDERID: 'order-1',
    HASH: '0'.repeat(64),
  });
  for (let number = 0; number < 3; number++)
    await fetch(`${ingestUrl}/notifications`, { method: 'POST', body: forged });
  await until('forged notifications in the queue', async () =>
    (await ask('demo', 'attention')).items.some(({ kind }) => kind === 'quarantine'),
  );
  return { captured, refunded, proposed, contradicted };
}

const listed = (ask, { merchant, orderId }, kind) =>
  until(`${kind} of ${orderId} in the queue`, async () => {
    const { items } = await ask('demo', `attention?merchant=${merchant}&kind=${kind}&limit=500`);
    return items.find((item) => item.orderId === orderId);
  });

async function until(what, found) {
  const deadline = performance.now() + TIMEOUT_MS;
  while (performance.now() < deadline) {
    const result = await found();
    if (result) return result;
    await delay(100);
  }
  throw new Expected(`${what} did not appear within ${TIMEOUT_MS / 1_000} s`);
}

/** Returns `ask` for `playNight`. */
export function operatorsAt(url, operators) {
  return async (person, path, body) => {
    const { key } = operators.find(({ operator }) => operator === person);
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) };
    const answer = await fetch(`${url}/v1/${path}`, {
      headers,
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Expected(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
}
