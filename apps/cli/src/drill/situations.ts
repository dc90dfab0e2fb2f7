import { generateKeyPairSync } from 'node:crypto';
import { SIGNATURE_HEADER, signCommand } from '@tranche/contracts';
import { journalPartition } from '@tranche/order-journal';
import type { Attention, Order } from '../api/operations.js';
import { JournalAccess } from '../journal/journal-access.js';
import { askSimulator } from '../sim/simulator.js';
import { ledgerOf, MERCHANT, type Stage } from './stage.js';

export interface Situation {
  name: string;
  title: string;
  /** Nobody is needed: it ends by itself, or by the shop. */
  endsByItself?: boolean;
  /** Says what should have been done; `check` prints it once the situation is over. */
  right: string;
  produce(stage: Stage): Promise<void>;
  /** Tells what a person notices: the alert's text, and no more. */
  tell(order: string): string;
  /** Returns what is still open, and undefined once the situation is over. It may publish a command in the shop's place. */
  judge(stage: Stage): Promise<string | undefined>;
}

/** Time for a look before the genuine notification ends it. */
const LATE_MS = 20_000;
/** Five failures stop the rail; four tries fail after 1, 2, 4 and 8 seconds, and the next one is answered. */
const RAIL_FAILURES = 9;
const RAIL_ORDERS = [1, 2, 3, 4, 5];
const REFUND = 5_000;
const PARTITIONS = Array.from({ length: 12 }, (_, at) => at);

const doubtText = (operation: string, reason: string) => (order: string) =>
  `TrancheDoubtWaits (page): An operation of ${MERCHANT} is in doubt (${operation}, ${reason}). Order ${order}`;

const statusIs = async (stage: Stage, status: string) => (await stage.order())?.status === status;
const doubtIsOver = async (stage: Stage) =>
  (await statusIs(stage, 'in_doubt')) ? 'an operation is in doubt' : undefined;
const hasConflict = (order: Order | undefined) => order?.attention.some(({ kind }) => kind === 'conflict') === true;

async function disturbed(stage: Stage, operation: 'capture' | 'refund', fault: object): Promise<void> {
  await (operation === 'capture' ? stage.authorize() : stage.capture());
  await stage.fault(operation, fault);
  await stage.send(`payment.${operation}`, operation === 'refund' ? { amount: REFUND } : {});
  await stage.until('the doubt', ({ status }) => status === 'in_doubt');
}

/** An authorized order whose capture becomes a dead letter. */
async function deadLetter(stage: Stage, damaged: (command: ReturnType<Stage['command']>) => object): Promise<void> {
  await stage.authorize();
  const command = stage.command('payment.capture');
  await stage.publish({ ...command, ...damaged(command) });
  const letters = () => stage.records('dead-letters', { merchant: MERCHANT, orderId: stage.orderId });
  await stage.wait('the dead letter', async () => (await letters()).length > 0);
}

/** The shop was told: it publishes its capture as it should be, with the same id, so that it counts once. */
async function shopPublishesAgain(stage: Stage): Promise<string | undefined> {
  if (await statusIs(stage, 'captured')) return undefined;
  await stage.send('payment.capture');
  return 'the shop was told, and has published its capture again: ask in a moment; if it waits, look at `tranche controls`';
} // prettier-ignore

/** In the order of the list. Both doubts after a time-out look the same from here: only the back office tells them apart. */
export const SITUATIONS: readonly Situation[] = [
  {
    name: 'executed',
    title: 'a time-out, and the platform executed the capture',
    right: 'Look it up in the back office (`tranche drill back-office ORDER`). It has a capture that is ours: `tranche resolve ORDER succeeded` with its TRANSACTIONID, and a second person approves.',
    produce: (stage) => disturbed(stage, 'capture', { timeout: 'after', notification: { none: true } }),
    tell: doubtText('capture', 'timeout'),
    judge: doubtIsOver,
  },
  {
    name: 'not-executed',
    title: 'a time-out, and the platform executed nothing',
    right: 'Look it up in the back office. It has no capture, and after 15 minutes none can come any more: `tranche resolve ORDER not-executed`, a second person approves, and the shop captures again with a new id.',
    produce: (stage) => disturbed(stage, 'capture', { timeout: 'before' }),
    tell: doubtText('capture', 'timeout'),
    judge: doubtIsOver,
  },
  {
    name: 'late',
    title: 'a notification that came late',
    endsByItself: true,
    right: 'Leave it: the notification ends the doubt. Look with `tranche timeline ORDER`.',
    produce: (stage) => disturbed(stage, 'capture', { executeThenReset: true, notification: { lateMs: LATE_MS } }),
    tell: doubtText('capture', 'connection_lost'),
    judge: doubtIsOver,
  },
  {
    name: 'wrong-key',
    title: 'a command that was signed with a wrong key',
    endsByItself: true,
    right: 'Nothing was executed. Compare the key id (`tranche dead-letters`) with `publisherKeys` and tell the shop: it publishes again with its own key, and the same id. A replay is refused, because nobody else can sign.',
    produce: (stage) =>
      deadLetter(stage, (command) => {
        const { privateKey } = generateKeyPairSync('ed25519');
        const { environmentId } = stage.config;
        const signature = signCommand(command, { kid: 'drill', privateKey, ...(environmentId && { environmentId }) });
        return { headers: { ...command.headers, [SIGNATURE_HEADER]: signature } };
      }),
    tell: (order) => `TrancheSignaturesRefused (ticket): Signatures of commands of ${MERCHANT} are refused (unknown_key), and their sender hears nothing. Order ${order}`,
    judge: shopPublishesAgain,
  },
  {
    name: 'rail-down',
    title: 'a rail whose platform was down for a while',
    endsByItself: true,
    right: 'Leave it: commands wait, and the first answer of the platform starts the rail again. Look with `tranche controls`. Who pauses a rail must resume it.',
    async produce(stage) {
      await stage.fault('authorization', { execCode: '5003' }, RAIL_FAILURES);
      const [first, ...others] = RAIL_ORDERS.map((number) => ({ rail: 'partner-b', orderId: `${stage.orderId}-${number}` }) as const);
      await stage.open(first);
      await Promise.all(others.map((one) => stage.send('payment.authorize', one)));
      const stopped = async () => (await stage.session.api.get<Attention>('/v1/attention', { kind: 'rail' })).items;
      await stage.wait('the stop of the rail', async () => (await stopped()).some(({ about }) => about.rail === 'partner-b'));
    },
    tell: () => 'TrancheRailStopped (page): A rail calls the platform no more (partner-b, 5003)',
    async judge(stage) {
      const left = (await stage.orders()).filter(({ status }) => status !== 'redirect_required').length;
      return left === 0 ? undefined : `${left} of ${RAIL_ORDERS.length} authorizations wait for the rail`;
    },
  },
  {
    name: 'forged',
    title: 'a forged notification that says paid; the buyer was refused',
    endsByItself: true,
    right: 'Leave it: what is in quarantine (`tranche quarantine list`) counts for nothing, and the genuine notification ends the payment. Never resolve by what a notification with a wrong HASH says.',
    async produce(stage) {
      const from = new Date().toISOString();
      await stage.fault('authorization', { notification: { forgedHash: 'also', lateMs: LATE_MS } });
      await stage.authorize('refuse');
      const refused = () => stage.records('quarantine', { merchant: MERCHANT });
      await stage.wait('the forgery in quarantine', async () => (await refused()).some(({ at }) => at >= from));
    },
    tell: (order) => `TrancheNotificationsRefused (page): Notifications with a wrong HASH keep coming (${MERCHANT}). Order ${order}`,
    judge: async (stage) => ((await statusIs(stage, 'redirect_required')) ? 'the payment waits for its genuine notification' : undefined),
  },
  {
    name: 'back-office',
    title: 'a refund that timed out and was executed, and another one by hand in the back office',
    right: 'The back office has two refunds: ours, and the one by hand. `tranche resolve ORDER succeeded` with the TRANSACTIONID of ours (the other one has the order already), a second person approves. The buyer has the money twice: the shop asks for one back.',
    async produce(stage) {
      await disturbed(stage, 'refund', { timeout: 'after', notification: { none: true } });
      const { calls: [{ identifier } = {}] } = await ledgerOf(stage.orderId);
      await askSimulator('POST', 'refunds', { identifier, orderId: stage.orderId, amount: REFUND });
      await stage.until('the refund of the back office', ({ state }) => (state as { external?: object[] }).external?.length === 1);
    },
    tell: (order) => `${doubtText('refund', 'timeout')(order)}\nA colleague: "The buyer of ${order} waited for the money, so I gave it back in the back office."`,
    judge: doubtIsOver,
  },
  {
    name: 'conflict',
    title: 'a capture that the platform executed in part',
    right: 'The back office is right: `tranche settle ORDER kept --result succeeded --amount` what it shows, and a second person approves. The shop hears what is missing.',
    async produce(stage) {
      await stage.authorize();
      await stage.fault('capture', { part: { share: 0.5, isStated: false } });
      await stage.send('payment.capture', { amount: (await stage.order())?.amounts.authorized });
      await stage.until('the conflict', hasConflict);
    },
    tell: (order) => `TrancheConflict (ticket): The platform contradicts itself about orders of ${MERCHANT} (other_amount). Order ${order}`,
    judge: async (stage) => (hasConflict(await stage.order()) ? 'the conflict is not settled' : undefined),
  },
  {
    name: 'poison',
    title: 'a command that nobody can read',
    endsByItself: true,
    right: 'Nothing was executed, and nothing behind it waits. Tell the shop: it publishes the command anew, mended. A replay of what can not be read is refused.',
    produce: (stage) => deadLetter(stage, () => ({ value: Buffer.from('{"merchant":"') })),
    tell: (order) => `TrancheDeadLetters (ticket): Records went to the dead letters (unreadable). Order ${order}`,
    judge: shopPublishesAgain,
  },
  {
    name: 'redis-lost',
    title: 'Redis lost the index, and the shop captured once more meanwhile',
    endsByItself: true,
    right: 'Leave it: the gateways build the index anew from the journal and know every order again. Start an empty Redis if it is gone, and wait.',
    async produce(stage) {
      await stage.capture();
      await atIndex((index, partition) => index.drop(partition), PARTITIONS);
      await stage.send('payment.capture', { id: `${stage.orderId}-again` });
    },
    tell: () => 'TrancheIndexBehind (page): The index has lacked records of the journal for more than three minutes',
    async judge(stage) {
      const [found] = await atIndex((index, partition) => index.read(partition), [journalPartition(`${MERCHANT}/${stage.orderId}`)]);
      return found?.mark === undefined ? 'the index of its partition is not built yet' : undefined;
    },
  },
]; // prettier-ignore

type Index = JournalAccess['index'];

async function atIndex<T>(ask: (index: Index, partition: number) => Promise<T>, partitions: number[]): Promise<T[]> {
  const access = await JournalAccess.open();
  try {
    return await Promise.all(partitions.map((partition) => ask(access.index, partition)));
  } finally {
    await access.close();
  }
}
