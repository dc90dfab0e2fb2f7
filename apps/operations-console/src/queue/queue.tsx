import { memo } from 'react';
import { useLocation, Link } from 'wouter';
import { useAttention, type AttentionItem, type AttentionQuery } from '../api/reads.js';
import { useNow, useTitle } from '../parts/hooks.js';
import { Choice, Field } from '../parts/fields.js';
import { Answer, Empty, Kind, PartOf, TimeLeft, When } from '../parts/parts.js';
import { merchantOf, useFilter } from '../parts/query.js';
import { orderPath } from '../parts/records.js';
import { count, money, spaced } from '../text/format.js';
import { Published } from '../text/published.js';
import { blocksOf, kindInWords, operationInWords, reasonInWords, toneOf } from '../text/words.js';
import { aboutOf, byItselfOf, urgencyOf, verdictOf, NIGHT_MS } from './urgency.js';

const MINUTE_MS = 60_000;
const SORTS = { urgency: 'most urgent', age: 'oldest', amount: 'largest' } as const;

/** The queue, with the answer to the question with which a person comes to it. */
export function Queue() {
  useTitle('Queue');
  const [of, set, clear] = useFilter();
  const query = queryOf(of);
  const asked = useAttention(query);
  const all = useAttention({});
  const now = useNow();
  const isFiltered = query.kind !== undefined || query.merchant !== undefined || query.minAmount !== undefined;
  return (
    <Answer of={asked} what="the queue" title="Queue">
      {({ items, counts, missing, beingBuilt }) => {
        const total = counts.reduce((sum, { number }) => sum + number, 0);
        const urgent = all.data?.items ?? [];
        const verdict = verdictOf(urgent, now, all.behind ? Math.max(1, total - urgent.length) : 0);
        return (
          <>
            <section className="verdict" data-tone={verdict.tone} aria-labelledby="verdict">
              <p>Do I have to get up?</p>
              <h1 id="verdict">{verdict.says}</h1>
              <p>
                {verdict.more}{' '}
                {isFiltered && (
                  <button type="button" className="link" onClick={clear}>
                    The list below is filtered: show all {total}
                  </button>
                )}
              </p>
              {missing !== undefined && (
                <p role="status" className="missing">
                  The gateway did not answer: {missing.map(spaced).join(' and ')} are missing here.
                </p>
              )}
              {beingBuilt !== undefined && (
                <p role="status" className="missing">
                  The gateway builds its index of {count(beingBuilt.length, 'partition')} anew: nothing can be decided
                  about their orders until it is done. What you see here is whole.
                </p>
              )}
            </section>
            <div className="filters" role="group" aria-label="Filter">
              {counts.map(({ kind, number, amounts }) => (
                <button
                  key={kind}
                  type="button"
                  className="filter"
                  data-tone={toneOf(kind)}
                  aria-pressed={query.kind === kind}
                  title={Object.entries(amounts ?? {})
                    .map(([currency, sum]) => money(sum, currency))
                    .join(' + ')}
                  onClick={() => set('kind', query.kind === kind ? '' : kind)}
                >
                  {kindInWords(kind)} <b>{number.toLocaleString('en')}</b>
                </button>
              ))}
              <Field
                isInline
                label="Merchant"
                size={12}
                value={of('merchant')}
                onText={(text) => set('merchant', text)}
              />
              <Choice
                className="inline"
                label="Order by"
                of={SORTS}
                value={query.sort ?? 'urgency'}
                onChoice={(sort) => set('sort', sort)}
              />
            </div>
            {items.length === 0 ? (
              <Empty>
                {isFiltered
                  ? 'Nothing of this kind needs a person.'
                  : 'Payments go on by themselves. What needs a person appears here at once.'}
              </Empty>
            ) : (
              <div className="queue" role="table" aria-label="What needs a person" aria-rowcount={total}>
                <div className="queue-head" role="row">
                  {['What', 'Happened', 'By itself', 'Blocks', 'Act by', 'Amount'].map((name) => (
                    <span key={name} role="columnheader">
                      {name}
                    </span>
                  ))}
                </div>
                {items.map((item) => (
                  <Entry key={keyOf(item)} item={item} nowMs={Math.floor(now / MINUTE_MS) * MINUTE_MS} />
                ))}
              </div>
            )}
            <PartOf parts={asked} shown={items.length} of="entry" />
            <p className="hint">Tonight is the next {NIGHT_MS / 3_600_000} hours.</p>
          </>
        );
      }}
    </Answer>
  );
}

function queryOf(of: (name: string) => string): AttentionQuery {
  const sort = of('sort');
  return {
    ...((sort === 'age' || sort === 'amount') && { sort }),
    ...(of('kind') !== '' && { kind: of('kind') as AttentionItem['kind'] }),
    ...merchantOf(of('merchant')),
    ...(/^\d{1,12}$/.test(of('minAmount')) && { minAmount: Number(of('minAmount')) }),
  };
}

const keyOf = (item: AttentionItem): string => {
  const { reason, rail, scope, topic, partition } = aboutOf(item);
  return [item.kind, item.id, item.merchant, reason, rail ?? scope, topic, partition].join(' ');
};

/** Drawn once a minute, and when its item changes. */
const Entry = memo(function Entry({ item, nowMs }: { item: AttentionItem; nowMs: number }) {
  const { kind, since, actBy, amount, currency } = item;
  const about = aboutOf(item);
  const self = byItselfOf(item, nowMs);
  const [, go] = useLocation();
  const address = addressOf(item);
  return (
    <div className="entry" role="row" data-urgency={urgencyOf(item, nowMs)} onClick={() => go(address)}>
      <span role="cell" className="what">
        <Kind kind={kind} />
        <Link href={address} data-row onClick={(event) => event.stopPropagation()}>
          <Named item={item} />
        </Link>
      </span>
      <span role="cell" className="happened">
        <Happened item={item} />
        {since !== undefined && (
          <small>
            <When at={since} isAgo />
          </small>
        )}
      </span>
      <span role="cell" data-name="By itself">
        {self.says}
        {self.at !== undefined && (
          <small>
            <When at={self.at} isAgo />
          </small>
        )}
      </span>
      <span role="cell" data-name="Blocks">
        {blocksOf(kind, about.waiting?.commands)}
      </span>
      <span role="cell" data-name="Act by">
        {actBy === undefined ? <span className="none">no limit</span> : <TimeLeft until={actBy} />}
      </span>
      <span role="cell" className="amount">
        {(about.amounts ?? [amount]).map((one) => one !== undefined && <span key={one}>{money(one, currency)} </span>)}
      </span>
    </div>
  );
});

/** The page on which the entry can be acted on. */
function addressOf({ kind, merchant, orderId, about }: AttentionItem): string {
  const { reason = '' } = about as { reason?: string };
  if (merchant !== undefined && orderId !== undefined) return orderPath(merchant, orderId);
  const filter = new URLSearchParams({ ...(merchant !== undefined && { merchant }), ...(reason && { kind: reason }) });
  if (kind === 'dead_letters') return `/dead-letters?${filter}`;
  if (kind === 'quarantine') return `/quarantine?${filter}`;
  return kind === 'rail' || kind === 'control' ? '/rails' : '/overview';
}

function Named({ item }: { item: AttentionItem }) {
  const { merchant, orderId, number } = item;
  const { rail, scope, topic, partition } = aboutOf(item);
  if (orderId !== undefined)
    return (
      <>
        <Published text={orderId} shown={40} isPressable={false} /> <small>{merchant}</small>
      </>
    );
  if (rail !== undefined) return <>{rail}</>;
  if (scope !== undefined) return <>{scope.replace(':', ' ')}</>;
  if (topic !== undefined) return <>{`${topic}, partition ${partition}`}</>;
  return (
    <>
      {count(number ?? 1, 'record')} <small>{merchant ?? 'no merchant named'}</small>
    </>
  );
}

function Happened({ item }: { item: AttentionItem }) {
  const { operation, reason, reasons, message, phase, why, proposedBy, says, by } = aboutOf(item);
  const what = operation === undefined ? '' : `${operationInWords(operation)}: `;
  switch (item.kind) {
    case 'doubt':
      return <span title={message}>{what + reasonInWords(reason)}</span>;
    case 'conflict':
    case 'candidates':
      return <>{what + (reasons ?? []).map(reasonInWords).join(', ')}</>;
    case 'open_to_operator':
      return <>{what + (phase === 'pending' ? 'waits for the provider' : 'waits for the cardholder')}</>;
    case 'frozen':
      return <>nothing is sent for it any more</>;
    case 'proposal':
      return <>{`proposed by ${proposedBy ?? 'somebody'}${why === undefined ? '' : ` (${spaced(why)})`}`}</>;
    case 'rail':
      return <>{says ?? 'it is stopped'}</>;
    case 'control':
      return <>stopped by {by}: <Published text={reason ?? ''} shown={60} isPressable={false} /></>; // prettier-ignore
    default:
      return <Published text={spaced(reason ?? '')} shown={80} isPressable={false} />;
  }
}
