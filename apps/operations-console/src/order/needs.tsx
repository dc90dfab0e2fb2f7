import type { OrderState } from '@tranche/order-journal';
import type { AttentionItem } from '../api/reads.js';
import { Facts, Kind, TimeLeft, When } from '../parts/parts.js';
import { aboutOf } from '../queue/urgency.js';
import { money } from '../text/format.js';
import { Published } from '../text/published.js';
import { blocksOf, operationInWords, reasonInWords, timerInWords } from '../text/words.js';

/** `amounts` of an order, as the fold sums them. */
export interface Amounts {
  currency: string | null;
  authorized: number | null;
  captured: number | null;
  refunded: number | null;
  remaining: number | null;
}

/** Amounts that the journal and the reports give to the operation of an entry; one, where they agree. */
export function amountsOf({ about, amount }: AttentionItem, { operations }: OrderState): number[] {
  const { commandId } = aboutOf({ about });
  const { otherAmounts = [] } = operations.find((one) => one.commandId === commandId) ?? {};
  return [...new Set([amount, ...otherAmounts].filter((one) => one !== undefined))];
}

/** The reason for which a person is needed, with what is easily taken for it. */
export function Subject({ item, state }: { item: AttentionItem; state: OrderState }) {
  const { operation, reason, reasons, message } = aboutOf(item);
  const { currency } = item;
  const why = [reasonInWords(reason), ...(reasons ?? []).map(reasonInWords)].filter(Boolean).join(', ');
  const amounts = reasons?.includes('other_amount') ? amountsOf(item, state) : [];
  const elsewhere = item.kind === 'doubt' ? state.external.filter((one) => one.operation === operation) : [];
  return (
    <>
      <p>
        {why}
        {amounts.length > 1 && (
          <>
            : <b>{amounts.map((amount) => money(amount, currency)).join(' and ')}</b>
          </>
        )}
        {message !== undefined && (
          <>
            {' '}
            (<Published text={message} />)
          </>
        )}
      </p>
      {elsewhere.map((one, index) => (
        <p key={index} className="warning">
          A {operationInWords(operation)} of {money(one.amount, one.currency ?? currency)} that names no command of ours
          was reported, and is counted apart: TRANSACTIONID <Published text={one.transactionId ?? 'not known'} />. See
          in the back office if there is one more.
        </p>
      ))}
    </>
  );
}

/** Says in the words of the queue why a person is needed. */
export function Needs({ item, state }: { item: AttentionItem; state: OrderState }) {
  const { kind, since, actBy, amount, currency } = item;
  const { operation, byItself = [] } = aboutOf(item);
  return (
    <>
      <h2>
        <Kind kind={kind} /> {operation !== undefined && operationInWords(operation)}{' '}
        {amount !== undefined && money(amount, currency)}
      </h2>
      <Subject item={item} state={state} />
      <Facts
        of={[
          since !== undefined && ['since', <When key="since" at={since} isAgo />],
          ['blocks', blocksOf(kind)],
          ['by itself', byItself.length === 0 ? 'nothing on a clock; a notification may come' : byItself.map(({ what, at }) => <span key={what + at} className="timer">{timerInWords(what)} <When at={at} isAgo /></span>)], // prettier-ignore
          ['act by', actBy === undefined ? 'no limit' : <TimeLeft key="left" until={actBy} />],
        ]}
      />
    </>
  );
}
