/** Lists everything that can happen to an operation, each as the journal records that it adds. */
import { RULES_VERSION, timerRecord, timersOf } from '@tranche/order-journal';
import { after, BEGUN, KINDS, orderAfter, recordsOf, stateOf } from './life-states.mjs';

const DAY_MS = 86_400_000;
const LONG_MS = 400 * DAY_MS;
const CODES = {
  succeeded: '0000',
  refused: '4001',
  redirect_required: '0002',
  pending: '0003',
  not_executed: '5003',
  in_doubt: '5004',
};

const answers = [
  ...['succeeded', 'refused', 'redirect_required', 'pending'].map((result) => ({
    name: `answer ${CODES[result]}`,
    by: 'platform',
    ofPayments: result === 'redirect_required' || result === 'pending',
    records: (_order, kind) => [recordsOf(kind).outcome(result, CODES[result])],
  })),
  { name: 'answer 5003', by: 'platform', records: (_order, kind) => [recordsOf(kind).notExecuted] },
  {
    name: 'no answer, or its process was not heard of',
    by: 'timer',
    records: (_order, kind) => [recordsOf(kind).inDoubt],
  },
];

const said = (source, by, result, name, more = {}) => ({
  name,
  by,
  ofPayments: result === 'redirect_required' || result === 'pending',
  records: (_order, kind) => [recordsOf(kind).evidence(source, result, more.execCode ?? CODES[result], more)],
});

const notifications = [
  ...Object.entries(CODES).map(([result, code]) => said('notification', 'platform', result, `notification ${code}`)),
  said('notification', 'platform', 'refused', 'notification 2016', {
    execCode: '2016',
    mayBeDone: true,
  }),
];

const lookUps = ['succeeded', 'refused', 'redirect_required', 'pending'].map((result) =>
  said('look-up', 'look-up', result, `look-up ${CODES[result]}`),
);

const operators = ['succeeded', 'refused', 'not_executed', 'redirect_required'].map((result) =>
  said('operator', 'operator', result, `operator: ${result}`, { afterMs: DAY_MS }),
);

const timers = Object.entries({
  'look_up_15_minutes look_up_1_hour look_up_6_hours look_up_24_hours': 'look-ups are due',
  'doubt_15_minutes doubt_24_hours': '15 minutes, 24 hours in doubt',
  capture_window: 'capture window closes in a day',
  expiry: 'no news for 6 or 7 days',
  give_up: 'its command stays away for 8 days',
}).map(([wanted, name]) => ({
  name,
  by: 'timer',
  records: (order, { id }) =>
    timersOf(order)
      .filter(({ timer, commandId }) => commandId === id && wanted.split(' ').includes(timer))
      .map((timer) => timerRecord(order, timer, timer.atMs)),
}));

const NEW = { operation: 'authorize', method: 'A', id: 'n' };
const follows = (operation, word, transactionId) => ({
  name: `${word} of it`,
  by: 'command',
  of: transactionId,
  records: () => [{ ...recordsOf(NEW).intent, operation, transactionId, amount: undefined, at: after(LONG_MS) }],
});

const commands = [
  {
    name: 'same command again',
    by: 'command',
    records: ({ merchant, orderId }, { id }) => [
      { record: 'REPEATED', rulesVersion: RULES_VERSION, merchant, orderId, at: after(0), commandId: id },
    ],
  },
  { name: 'another authorization', by: 'command', isPayment: true, records: () => [recordsOf(NEW).intent] },
  {
    name: 'authorization that supersedes it',
    by: 'command',
    isPayment: true,
    records: (_order, { id }) => [recordsOf(NEW, { supersedes: id }).intent],
  },
  follows('capture', 'capture', 'T-a'),
  follows('void', 'void', 'T-a'),
  follows('refund', 'refund', 'T-c'),
  follows('refund', 'refund', 'T-p'),
];

const HAPPENINGS = [...answers, ...notifications, ...lookUps, ...operators, ...timers, ...commands];

const isPayment = ({ operation }) => operation !== 'capture';

/**
 * Leaves out combinations that cannot occur: only a sent operation gets an answer, only payments wait, and a follow-up command needs an
 * operation of the right kind.
 */
function isPossible(happening, kind, state) {
  if (happening.ofPayments && !isPayment(kind)) return false;
  if (answers.includes(happening) && state === 'rejected') return false;
  if (happening.isPayment) return isPayment(kind);
  return (
    happening.of === undefined ||
    happening.of === `T-${kind.id}` ||
    (KINDS.indexOf(kind) === 2 && happening.of === 'T-c')
  );
}

/** Returns `{ kind, state, happening, by, next }` for each state of each kind of operation and each happening. */
export function lives() {
  return KINDS.flatMap((kind) =>
    Object.entries(BEGUN[kind.name]).flatMap(([state, records]) =>
      HAPPENINGS.filter((happening) => isPossible(happening, kind, state)).map((happening) => {
        const order = orderAfter([...records, ...happening.records(orderAfter(records), kind)]);
        return { kind: kind.name, state, happening: happening.name, by: happening.by, next: stateOf(order, kind.id) };
      }),
    ),
  );
}
