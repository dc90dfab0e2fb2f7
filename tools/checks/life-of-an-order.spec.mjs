import { lives } from './test/life-happenings.mjs';
import { BEGUN, KINDS, orderAfter, stateOf } from './test/life-states.mjs';

const ENDS = ['succeeded', 'refused', 'expired', 'not_executed', 'rejected', 'given_up'];
const rows = lives();

it.each(KINDS.flatMap((kind) => Object.entries(BEGUN[kind.name]).map(([state, records]) => [state, kind, records])))(
  '%s is reached by its journal',
  (state, kind, records) => {
    expect(stateOf(orderAfter(records), kind.id)).toBe(state);
  },
);

it.each(KINDS.map(({ name }) => [name]))('no state of the %s is left out', (name) => {
  const reached = rows.filter(({ kind }) => kind === name).map(({ next }) => next);
  expect([...new Set(reached)].filter((state) => !(state in BEGUN[name]))).toEqual([]);
});

/** These happenings need no answer, notification or look-up, so they occur even if the platform stays silent. */
const ours = rows.filter(({ by }) => by === 'timer' || by === 'operator');

it.each(KINDS.flatMap(({ name }) => Object.keys(BEGUN[name]).map((state) => [name, state])))(
  'a timer or an operator leads the %s out of %s, whatever the platform says',
  (name, state) => {
    const found = new Set([state]);
    for (const from of found)
      for (const row of ours) if (row.kind === name && row.state === from && row.next !== from) found.add(row.next);
    expect([...found].some((one) => ENDS.includes(one))).toBe(true);
  },
);

/** EvidenceRecord, a timer, an operator or a command: whatever leads to another state. Our own answer to a call comes once or not at all, so it is none. */
const exitsOf = (all, name, state) =>
  all.filter(
    ({ kind, state: from, next, happening }) =>
      kind === name && from === state && next !== state && !happening.startsWith('answer '),
  );
const withoutExit = (all) =>
  KINDS.flatMap(({ name }) =>
    statesIn(all, name)
      .filter((state) => exitsOf(all, name, state).length === 0)
      .map((state) => `${name}: ${state}`),
  );
const statesIn = (all, name) => [
  ...new Set(
    all
      .filter(({ kind }) => kind === name)
      .flatMap(({ state, next }) => [state, next])
      .filter((state) => !ENDS.includes(state)),
  ),
];

it('every state of the table that is no end has a way out', () => {
  expect(withoutExit(rows)).toEqual([]);
});

it('and a state without one would be found', () => {
  const planted = {
    kind: 'card payment',
    state: 'open',
    happening: 'notification 0000',
    by: 'platform',
    next: 'stuck',
  };
  expect(withoutExit([...rows, planted])).toEqual(['card payment: stuck']);
  const stays = rows.map((row) => (row.state === 'expired_live' ? { ...row, next: 'expired_live' } : row));
  expect(withoutExit(stays)).toEqual(['authorization: expired_live', 'card payment: expired_live']);
});

it.each(KINDS.map(({ name }) => [name]))(
  'what has ended as something of the %s stays so, but for an expiry',
  (name) => {
    const moved = rows.filter(
      ({ kind, state, next }) => kind === name && ENDS.includes(state) && state !== 'expired' && next !== state,
    );
    expect(moved).toEqual([]);
  },
);
