import { useEffect, useId, useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { OrderState } from '@tranche/order-journal';
import { api, Refused, taken, type Schema } from '../api/client.js';
import { mayDo, useMe, useReason } from '../api/console.js';
import { useProposals, type AttentionItem } from '../api/reads.js';
import { useDraft, useSettled } from '../parts/hooks.js';
import { Choice, Field } from '../parts/fields.js';
import { aboutOf } from '../queue/urgency.js';
import { minorOf, money, spaced } from '../text/format.js';
import { outcomeInWords, reasonInWords } from '../text/words.js';
import { amountsOf } from './needs.js';
import { refusalOf } from './refusal.js';
import { Said, type Answered } from './said.js';
import { WhatIf } from './what-if.js';

type Resolution = Schema['Resolution'];
type Settlement = Schema['Settlement'];

/** A statement about an operation or a conflict, as it was typed. */
interface Draft {
  outcome: string;
  result: string;
  transactionId: string;
  execCode: string;
  amount: string;
  reference: string;
  reason: string;
}
const EMPTY: Draft = {
  outcome: '',
  result: '',
  transactionId: '',
  execCode: '',
  amount: '',
  reference: '',
  reason: '',
};

const RESOLVED = ['succeeded', 'refused', 'not_executed'];
const SETTLED: Readonly<Record<string, string>> = {
  kept: 'a result stands as it is',
  repaired: 'money was given back elsewhere',
};
const RESULTS = Object.fromEntries(['', ...RESOLVED].map((one) => [one, spaced(one) || 'choose one']));
/** All of the payments stand then: no one result does. */
const OF_SEVERAL = ['two_payments_succeeded', 'paid_after_void'];
const ASKS = ['doubt', 'open_to_operator', 'conflict', 'candidates'];

/** The form for what an entry of the queue asks a person to say. Beside it stands what would happen. */
export function Decide({ item, state }: { item: AttentionItem; state: OrderState }) {
  const { data: me } = useMe();
  const { conflictIds = [], reasons = [] } = aboutOf(item);
  if (!ASKS.includes(item.kind) || item.id === undefined) return null;
  if (me !== undefined && !mayDo(me.role, 'operator'))
    return <p className="hint">Your role is {me.role}: an operator can say what became of it.</p>;
  if (item.kind !== 'conflict') return <Form item={item} id={item.id} state={state} />;
  return conflictIds.map((id, index) => (
    <Form key={id} item={item} id={id} state={state} conflict={reasons[index] ?? ''} />
  ));
}

interface FormProps {
  item: AttentionItem;
  id: string;
  state: OrderState;
  /** Reason of the conflict, of one. */
  conflict?: string;
}

function Form({ item, id, state, conflict }: FormProps) {
  const isConflict = conflict !== undefined;
  const [draft, change, forget] = useDraft<Draft>(id, EMPTY);
  const [answered, setAnswered] = useState<Answered>();
  const queries = useQueryClient();
  const { data: proposals = [] } = useProposals();
  const isProposed = proposals.some(
    ({ state, operation, conflict: of }) => state === 'open' && (isConflict ? of === id : operation === id),
  );
  // The answer is about the proposal, and goes with it.
  useEffect(() => (isProposed ? () => setAnswered(undefined) : undefined), [isProposed]);
  const name = useId();
  const currency = item.currency ?? state.operations[0]?.currency;
  const said = statementOf(draft, currency, isConflict);
  const amounts = amountsOf(item, state);
  const hasResult = draft.outcome === 'kept' && !OF_SEVERAL.includes(conflict ?? '');
  const lacks = [
    ...(hasResult && draft.result === '' ? ['the result that stands'] : []),
    ...(hasResult && draft.result === 'succeeded' && conflict === 'other_amount' && draft.amount.trim() === ''
      ? ['the amount that was moved']
      : []),
  ];
  // A press of a key asks nothing: a text that stands still for a moment does.
  const asked = useSettled(JSON.stringify({ ...said.statement, reason: OF_A_QUESTION }), 350);
  const whatIf = useQuery({
    queryKey: ['order', item.merchant, item.orderId, 'what-if', id, asked],
    // The text that stood still may be of the choice before: asked then, it would be refused and stand in the audit.
    enabled: draft.outcome !== '' && draft.outcome === (JSON.parse(asked) as Statement).outcome && said.faults.length === 0 && lacks.length === 0 && answered?.tone !== 'good', // prettier-ignore
    retry: false,
    queryFn: async () => (await say(id, isConflict, JSON.parse(asked) as Statement, true)).body as Schema['DryRun'],
  });
  const saying = useMutation({
    mutationFn: () => say(id, isConflict, said.statement, false),
    onSuccess: ({ status, body }) => {
      setAnswered(verdictOf(status, body));
      forget();
    },
    onError: (error) => setAnswered(refusalOf(error)),
    onSettled: () => void queries.invalidateQueries(),
  });
  const isRefused = whatIf.error instanceof Refused && !whatIf.error.isOutcomeUnknown;
  const reason = useReason();
  const missing = reason.lacks(draft.reason);
  if (missing > 0) lacks.push(`how you know it (${missing} more characters)`);
  const isBarred = said.faults.length > 0 || lacks.length > 0 || saying.isPending || isRefused;
  const choices = isConflict ? Object.entries(SETTLED) : RESOLVED.map((one) => [one, outcomeInWords(one)] as const);
  const text = (field: keyof Draft, label: string, hint?: string, more: object = {}) => (
    <Field
      {...{ label, ...(hint !== undefined && { hint }), ...more }}
      value={draft[field]}
      onText={(typed) => change({ [field]: typed })}
    />
  );
  const isMoney = draft.outcome === 'succeeded' || draft.outcome === 'kept' || draft.outcome === 'repaired';

  if (isProposed) return <Said answered={answered} />;
  return (
    <form
      className="decide"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBarred) saying.mutate();
      }}
    >
      <fieldset className="choices">
        <legend>
          {isConflict ? `What did it come to: ${reasonInWords(conflict)}?` : 'How did it end, by the platform’s books?'}
        </legend>
        <p className="hint">
          Look the order up in the platform’s back office first. What it shows is the answer, and nothing else is.
        </p>
        {choices.map(([value, words], index) => (
          <label key={value} className="choice">
            <input
              type="radio"
              name={name}
              value={value}
              data-decide={index === 0 ? '' : undefined}
              checked={draft.outcome === value}
              onChange={() => {
                change({ outcome: value });
                setAnswered(undefined);
              }}
            />
            <span>
              <b>{value.replaceAll('_', ' ')}</b> {words}
            </span>
          </label>
        ))}
      </fieldset>
      {draft.outcome !== '' && (
        <div className="decide-fields">
          {hasResult && (
            <Choice
              label="The result that stands"
              of={RESULTS}
              value={draft.result}
              onChoice={(result) => change({ result })}
            />
          )}
          {draft.outcome !== 'not_executed' &&
            text(
              'transactionId',
              'TRANSACTIONID',
              draft.outcome === 'repaired' ? 'of the success' : 'if the back office shows it',
            )}
          {!isConflict &&
            draft.outcome !== 'not_executed' &&
            text('execCode', 'EXECCODE', 'four digits, if it shows one', { inputMode: 'numeric', maxLength: 4 })}
          {isMoney &&
            text(
              'amount',
              `Amount${currency === undefined ? '' : ` in ${currency}`}`,
              draft.outcome === 'succeeded' ? `if it is not ${money(item.amount, currency)}` : amounts.length > 1 ? amounts.map((one) => money(one, currency)).join(' or ') : '', // prettier-ignore
              { inputMode: 'decimal' },
            )}
          {draft.outcome === 'repaired' && text('reference', 'Reference of the refund', 'TRANSACTIONID or transfer')}
          <label className="wide">
            How you know it <small>{reason.hint}</small>
            <textarea
              rows={2}
              maxLength={500}
              value={draft.reason}
              onChange={({ target }) => change({ reason: target.value })}
            />
          </label>
          {said.faults.map((fault) => (
            <p key={fault} className="fault" role="alert">
              {fault}
            </p>
          ))}
        </div>
      )}
      {draft.outcome !== '' && <WhatIf asked={whatIf} title={`If you say “${spaced(draft.outcome)}”`} />}
      {draft.outcome !== '' && (
        <div className="decide-end">
          <button className="primary" disabled={isBarred}>
            {saying.isPending ? 'Saying it…' : whatIf.data?.approval === undefined ? 'Say it' : 'Propose it'}
          </button>
          {lacks.length > 0 && <span className="hint">Say {lacks.join(', and ')}.</span>}
          <button
            type="button"
            className="plain"
            onClick={() => {
              forget();
              setAnswered(undefined);
            }}
          >
            Clear
          </button>
        </div>
      )}
      <Said answered={answered} />
    </form>
  );
}

type Statement = Resolution | Settlement;

async function say(id: string, isConflict: boolean, statement: Statement, dryRun: boolean) {
  const params = { path: { id }, query: dryRun ? { dryRun: 'true' as const } : {} };
  return isConflict
    ? taken(api.POST('/v1/conflicts/{id}/settle', { params, body: statement as Settlement }))
    : taken(api.POST('/v1/operations/{id}/resolve', { params, body: statement as Resolution }));
}

/** The gateway wants a reason of a question too; the one that is typed changes nothing of its answer. */
const OF_A_QUESTION = 'asked what would happen';

function statementOf(
  draft: Draft,
  currency: string | undefined,
  isConflict: boolean,
): { statement: Statement; faults: string[] } {
  const { outcome, result, transactionId, execCode, amount, reference, reason } = draft;
  const minor = amount.trim() === '' ? undefined : minorOf(amount.trim(), currency);
  const isNothing = outcome === 'not_executed';
  const faults = [
    ...(amount.trim() !== '' && (minor === undefined || minor < 1)
      ? ['The amount is no amount of this currency, such as 250.00.']
      : []),
    ...(!isNothing && transactionId !== '' && !/^[!#-[\]-~]{1,32}$/.test(transactionId.trim())
      ? ['A TRANSACTIONID has 1 to 32 visible characters.']
      : []),
    ...(!isConflict && !isNothing && execCode !== '' && !/^\d{4}$/.test(execCode)
      ? ['An EXECCODE has four digits.']
      : []),
  ];
  const statement = {
    outcome,
    reason: reason.trim(),
    ...(isConflict && result !== '' && outcome === 'kept' && { result }),
    ...(!isNothing && transactionId.trim() !== '' && { transactionId: transactionId.trim() }),
    ...(!isConflict && !isNothing && execCode !== '' && { execCode }),
    ...(!isNothing && outcome !== 'refused' && minor !== undefined && { amount: minor }),
    ...(outcome === 'repaired' && reference.trim() !== '' && { reference: reference.trim() }),
  } as Statement;
  return { statement, faults };
}

function verdictOf(status: number, answer: object): Answered {
  if (status === 200) return { tone: 'good', says: 'It counts.', more: 'The order is decided; the shop is told.' };
  if ('recorded' in answer)
    return {
      tone: 'wait',
      says: 'It is recorded, and not judged yet.',
      more: 'Tell nobody that it counts until this page does.',
    };
  return {
    tone: 'wait',
    says: 'It is proposed.',
    more: 'It counts once another person approves it; they see it in their queue now.',
  };
}
