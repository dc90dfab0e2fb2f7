/** Generates docs/reference/life-of-an-order.md by running the fold on every state of an operation and everything that can happen to it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { RULES_VERSION } from '@tranche/order-journal';
import { HAPPENINGS, isPossible } from './life-happenings.mjs';
import { BEGUN, KINDS, stateOf, told } from './life-states.mjs';

export const DOCUMENT = 'docs/reference/life-of-an-order.md';

/** Returns `{ kind, state, happening, next, events }` for each state of each kind of operation and each happening. */
export function lives() {
  return KINDS.flatMap((kind) =>
    Object.entries(BEGUN[kind.name]).flatMap(([state, records]) =>
      HAPPENINGS.filter((happening) => isPossible(happening, kind, state)).map((happening) => ({
        ...{ kind: kind.name, state, happening: happening.name, by: happening.by },
        ...what(kind, records, happening),
      })),
    ),
  );
}

function what(kind, records, happening) {
  const before = told(records);
  const after = told([...records, ...happening.records(before.order, kind)]);
  return {
    next: stateOf(after.order, kind.id),
    events: after.events.slice(before.events.length),
    ...verdictOf(after, before),
  };
}

/** Returns the fold's verdict on a following command's INTENT, and the guard that refused it. */
function verdictOf({ order, bodies }, { order: { verdicts } }) {
  const [, verdict] = order.verdicts[verdicts.length] ?? [];
  return verdict === undefined
    ? {}
    : { verdict, code: verdict === 'rejected' ? bodies.at(-1).faults[0].code : undefined };
}

export function documentOf(rows) {
  return `${[
    HEAD,
    ...KINDS.map((kind) =>
      sectionOf(
        kind,
        rows.filter((row) => row.kind === kind.name),
      ),
    ),
  ].join('\n\n')}\n`;
}

export const isCurrent = () => readFileSync(DOCUMENT, 'utf8') === documentOf(lives());
export const writeDocument = () => writeFileSync(DOCUMENT, documentOf(lives()));

const HEAD = `# Life of an order

What can happen to an operation in each of its states, by rules version ${RULES_VERSION}: **generated** by running the fold. After a change of the fold:
\`npm run build && node tools/tranche.mjs generate-life\`; a test compares. What a table does not list changes nothing there.

- **States**: [picture](../../libs/order-journal/README.md#in-and-out). \`expired_live\`: our timer ended it and the interface did not; the order takes no
  other payment that does not name it ([0049](../decisions/0049-payments-that-wait-have-an-end.md)). \`idle\`: between two attempts.
- **EXECCODEs**: 0000 succeeded · 4001 refused · 0002 the cardholder must act · 0003 waits for approval · 5003 not executed · 5004 time-out
  inside the platform · 2016 exists already. Others of their class do the same ([error codes](error-codes.md)).
- An operator speaks a day later. **Events** are without \`payment.\`, their flags in brackets; of a command that follows, the fold's verdict on it.`;

function sectionOf({ title, name }, rows) {
  const tables = Object.keys(BEGUN[name]).map((state) => {
    const moving = rows.filter((row) => row.state === state && hasEffect(row));
    const alike = (effect) => moving.filter((row) => effectOf(row) === effect).map(({ happening }) => happening);
    const lines = [...new Set(moving.map(effectOf))].map((effect) => `| ${inWords(alike(effect))} | ${effect} |`);
    return [
      `### ${name}: ${state}`,
      '',
      '| what happens | next state | events |',
      '| --- | --- | --- |',
      ...lines,
    ].join('\n');
  });
  return [`## ${title}`, ...tables].join('\n\n');
}

/** Groups sources that report the same code, so the document says `answer, notification 0000` once. */
function inWords(happenings) {
  const sources = new Map();
  for (const happening of happenings) {
    const [, source, code] = /^(.+) (\d{4})$/.exec(happening) ?? [];
    const key = code ?? happening;
    sources.set(key, [...(sources.get(key) ?? []), source ?? happening]);
  }
  return [...sources].map(([key, said]) => (/^\d{4}$/.test(key) ? `${said.join(', ')} ${key}` : key)).join(' · ');
}

const hasEffect = ({ state, next, events, verdict }) => next !== state || events.length > 0 || verdict !== undefined;

function effectOf({ state, next, events, verdict, code }) {
  const judged = `_${verdict}_${code === undefined ? '' : ` \`${code}\``}`;
  return `${next === state ? 'stays' : `**${next}**`} | ${verdict === undefined ? events.join(', ') || '—' : judged}`;
}
