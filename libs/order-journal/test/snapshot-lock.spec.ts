import { METHOD_NAMES } from '@tranche/contracts';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyOrder, fold, RULES, snapshotOf, type JournalRecord, type OrderState } from '../src/index.js';
import {
  answered,
  asked,
  authorized,
  captured,
  expired,
  folded,
  later,
  lost,
  notExecuted,
  notified,
  notifiedElsewhere,
  operatorSays,
  under,
} from './order-story.js';
import { historyLog } from './rules-lock/history-log.js';
import { keptLog } from './rules-lock/kept-log.js';
import { randomLog } from './rules-lock/random-log.js';
import { waitingLog } from './rules-lock/waiting-log.js';

/**
 * Snapshots as each rules version writes them. A journal keeps them for 100 days, and every release compares them with the state that it folds:
 * another form would be reported for every order, or freeze it. rules-lock/README.md explains how files are added.
 */
interface Locked {
  /** A day after the order's last transition, and 60 days after it. */
  orders: Record<string, [recent: object, atRest: object]>;
  /** One hash of the snapshots of 800 seeded logs. */
  digest: string;
}

const DAY_MS = 86_400_000;
const TEXTS = { message: 'm', messageTruncated: true, descriptor: 'SHOP', descriptorTruncated: true } as const;
const GIVEN_UP = { code: 'platform_unavailable', message: 'no connection' } as const;
const { rulesVersion, merchant, orderId, at } = asked('authorize');
const inOrder = { rulesVersion, merchant, orderId, at };

/** Every phase, end and method, and everything else that an order may hold. */
const STORIES: Record<string, readonly JournalRecord[]> = {
  'captured, partner B': captured,
  'captured in part, refunded, refused': [
    ...authorized,
    asked('capture', { amount: 20_000 }),
    answered('capture', '0004', { amount: 15_000, ...TEXTS }),
    asked('refund', { amount: 5_000 }),
    { ...notified('refund', '0000'), externalEntityId: '123', externalReference: '123456789' },
    answered('refund', '0000'),
    asked('refund-2', { amount: 1_000 }),
    answered('refund-2', '4001', { message: 'no' }),
    {
      ...asked('refund-3', { amount: 99_000 }),
      record: 'REJECTED',
      faults: [{ path: '', code: 'amount_out_of_range', message: 'm' }],
    },
  ],
  'card, tried twice, contradicted': [
    asked('pay', { correlationId: 'c' }),
    notExecuted('pay'),
    asked('pay', { attempt: 2 }),
    answered('pay', '4017', {}, 2),
    notified('pay', '0000', { answer: { amount: 10_000 }, maskedCard: '#1234', cardBrand: 'VISA', cardCountry: 'FR' }),
  ],
  'idle, partner A': [asked('authorize', { method: 'A' }), notExecuted('authorize')],
  'given up': [
    asked('authorize'),
    notExecuted('authorize'),
    { record: 'GIVEN_UP', ...inOrder, commandId: 'authorize', attempt: 2, ...GIVEN_UP },
  ],
  'in doubt': [asked('authorize'), lost('authorize')],
  'doubt resolved as not executed': [asked('authorize'), lost('authorize'), operatorSays('authorize', 'not_executed')],
  'at a form': [asked('authorize', { mayLookUp: true }), answered('authorize', '0002', { redirectHtmlDropped: true })],
  pending: [asked('authorize'), answered('authorize', '0003')],
  expired: [asked('authorize'), answered('authorize', '0003'), expired('authorize')],
  'expired, may yet succeed': [
    asked('authorize', { method: 'A' }),
    answered('authorize', '0002'),
    { ...expired('authorize'), at: later(7 * DAY_MS) },
  ],
  'voided while it waited': [
    asked('authorize', { method: 'A' }),
    answered('authorize', '0002'),
    asked('void'),
    answered('void', '0000'),
  ],
  'made elsewhere': [...captured, notifiedElsewhere('refund', '0000', { transactionId: 'T-x', amount: 1_000 })],
  'reported before it was known': [
    asked('authorize', { tag: undefined }),
    notExecuted('authorize'),
    asked('authorize-2', { tag: undefined }),
    lost('authorize-2'),
    notifiedElsewhere('authorize', '0000', { transactionId: 'T-y', message: 'm' }),
  ],
  'never granted': [...authorized, { ...answered('capture', '0000', { amount: 30_000 }), token: 'stray' }],
  frozen: [...authorized, { record: 'SKIPPED', ...inOrder, hash: 'h' }],
  'without its beginning': captured.slice(1),
};

const orderOf = (version: number, name: string): OrderState => folded(under(version, ...STORIES[name]!)).order;

function written(version: number): Locked {
  const orders = Object.keys(STORIES).map((name) => {
    const order = orderOf(version, name);
    const after = (days: number) =>
      snapshotOf(order, new Date(Date.parse(order.movedAt!) + days * DAY_MS).toISOString());
    return [name, [after(1), after(60)]] as const;
  });
  return { orders: Object.fromEntries(orders) as Locked['orders'], digest: digestOf(version) };
}

/** One line for each order. */
function textOf({ orders, digest }: Locked): string {
  const lines = Object.entries(orders).map(([name, both]) => `${JSON.stringify(name)}:${JSON.stringify(sorted(both))}`);
  return `{"orders":{\n${lines.join(',\n')}\n},"digest":"${digest}"}\n`;
}

function digestOf(version: number): string {
  const hash = createHash('sha256');
  for (let seed = version * 1_000_000; seed < version * 1_000_000 + 800; seed++) {
    const log = [keptLog, historyLog, waitingLog, randomLog][seed % 4]!(seed);
    let order = emptyOrder('shop-fr', 'o');
    for (const [offset, record] of log) order = fold(order, { ...record, rulesVersion: version }, offset).order;
    const days = seed % 60;
    hash.update(
      JSON.stringify(sorted(snapshotOf(order, new Date(Date.parse(log.at(-1)![1].at) + days * DAY_MS).toISOString()))),
    );
  }
  return hash.digest('base64url').slice(0, 16);
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return Array.isArray(value) ? value.map(sorted) : value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}

it.each(RULES.versions)('rules version %i writes the same snapshots for ever', (version) => {
  const file = join(__dirname, `rules-lock/snapshots-${version}.json`);
  if (!existsSync(file)) {
    if (process.env.WRITE_RULES_LOCK !== '1') throw new Error(`${file} is missing: rules-lock/README.md`);
    writeFileSync(file, textOf(written(version)));
  }
  expect(written(version)).toEqual(JSON.parse(readFileSync(file, 'utf8')));
});

it('the orders have every phase but open, every end and method, and all that an order may hold beside operations', () => {
  const orders = Object.keys(STORIES).map((name) => orderOf(1, name));
  const operations = orders.flatMap((order) => order.operations);
  const met = (values: unknown[]) => [...new Set(values)].sort();
  expect(met(operations.map(({ phase }) => phase))).toEqual(
    ['ended', 'idle', 'in_doubt', 'pending', 'redirect_required'], // prettier-ignore
  );
  expect(met(operations.flatMap(({ end = [] }) => end))).toEqual(
    ['expired', 'given_up', 'not_executed', 'refused', 'rejected', 'succeeded'], // prettier-ignore
  );
  expect(met(operations.map(({ method }) => method))).toEqual([...METHOD_NAMES].sort());
  expect(met(operations.map(({ operation }) => operation))).toEqual(['authorize', 'capture', 'pay', 'refund', 'void']);
  for (const isMet of [
    ({ external }: OrderState) => external.length > 0,
    ({ unmatchedEvidence }: OrderState) => unmatchedEvidence.length > 0,
    ({ unauthorizedOutcomes = [] }: OrderState) => unauthorizedOutcomes.length > 0,
    ({ isFrozen }: OrderState) => isFrozen,
    ({ isPartial }: OrderState) => isPartial,
    ({ operations: all }: OrderState) => all.some(({ conflictingReports }) => conflictingReports),
    ({ operations: all }: OrderState) => all.some(({ mayYetSucceed }) => mayYetSucceed),
  ])
    expect(orders.some(isMet)).toBe(true);
});
