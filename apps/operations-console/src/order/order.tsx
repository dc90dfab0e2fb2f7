import { useMemo, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { OrderState } from '@tranche/order-journal';
import { backOfficeLink, useSettings } from '../api/console.js';
import { api, body, type Schema } from '../api/client.js';
import { useOrder, useProposals, useTimeline } from '../api/reads.js';
import { useTitle } from '../parts/hooks.js';
import { Answer, Chip, Facts, Status, When } from '../parts/parts.js';
import { aboutOf } from '../queue/urgency.js';
import { money, moment } from '../text/format.js';
import { plain } from '../text/pieces.js';
import { Published } from '../text/published.js';
import { timerInWords } from '../text/words.js';
import { Decide } from './decide.js';
import { keyOf, type Timeline } from './entry.js';
import type { Deadline } from './layout.js';
import { Needs, type Amounts } from './needs.js';
import { Picture } from './picture.js';
import { ProposalCard, useOpenOnes } from './proposal.js';
import { Record } from './record.js';
import { Why } from './why.js';

type Item = Schema['Attention']['items'][number];
type OrderAnswer = Schema['Order'];
export function Order({ merchant, orderId }: { merchant: string; orderId: string }) {
  useTitle(plain(orderId));
  const order = useOrder(merchant, orderId);
  return (
    <Answer of={order} what="the order" title={plain(orderId)}>
      {(answer) => <Story order={answer} merchant={merchant} orderId={orderId} />}
    </Answer>
  );
}

function Story({ order, merchant, orderId }: { order: OrderAnswer; merchant: string; orderId: string }) {
  const [search, setSearch] = useSearchParams();
  const at = search.get('at') ?? undefined;
  const whole = useTimeline(merchant, orderId, undefined);
  const then = useTimeline(merchant, orderId, at);
  const { data: settings } = useSettings();
  const { data: proposals = [] } = useProposals();
  const [selected, setSelected] = useState<string>();
  const travel = (to: string | undefined) => setSearch(to === undefined ? {} : { at: to }, { replace: true });

  const items = order.attention as unknown as Item[];
  const state = order.state as unknown as OrderState;
  const amounts = order.amounts as unknown as Amounts;
  const deadlines = useMemo(() => deadlinesOf(items, whole.data), [items, whole.data]);
  const underWay = useMemo(() => callsUnderWay(state), [state]);
  const link = backOfficeLink(settings?.backOfficeUrl, merchant, orderId);
  const own = proposals.filter((one) => one.merchant === merchant && one.orderId === orderId);
  const open = useOpenOnes(own);
  const earlier = own.filter((one) => !open.includes(one));
  const shown = selected ?? keyOfLast(then.data);

  return (
    <article className="order">
      <header className="order-head">
        <p>
          <Link href="/">Queue</Link> / {merchant}
        </p>
        <h1>
          <Published text={orderId} shown={60} /> <Status status={order.status} />
        </h1>
        <div className="order-links">
          {link !== undefined && (
            <a href={link} target="_blank" rel="noreferrer noopener">
              Back office
            </a>
          )}
          <button type="button" className="link" onClick={() => void saveCase(merchant, orderId)}>
            Save the case
          </button>
        </div>
        <Facts
          of={[
            ...(['authorized', 'captured', 'refunded'] as const).map(
              (name) => [name, money(amounts[name], amounts.currency ?? undefined)] as const,
            ),
            ['may be refunded', money(amounts.remaining, amounts.currency ?? undefined)],
            ['last change', <When key="moved" at={order.movedAt} />],
          ]}
        />
      </header>

      {items.map((item) => (
        <section key={`${item.kind} ${item.id}`} className="needs" data-kind={item.kind}>
          <Needs item={item} state={state} />
          {at === undefined && <Decide item={item} state={state} />}
        </section>
      ))}
      {open.map((proposal) => (
        <ProposalCard key={proposal.id} proposal={proposal} isOfPage />
      ))}

      <section aria-labelledby="story">
        <h2 id="story">
          What became of it
          {at !== undefined && (
            <span className="travel">
              <Chip tone="wait">as it was {moment(at, Date.now())}</Chip>
              <button type="button" onClick={() => travel(undefined)}>
                Back to now
              </button>
            </span>
          )}
        </h2>
        <Answer of={whole} what="the timeline">
          {({ entries }) => (
            <>
              <Picture {...{ entries, deadlines, underWay, at }} selected={shown} onSelect={setSelected} />
              <Record
                entry={entries.find((entry) => keyOf(entry) === shown)}
                entries={entries}
                onSelect={setSelected}
                onTravel={travel}
              />
            </>
          )}
        </Answer>
      </section>

      <Answer of={then} what="the reasons">
        {(timeline) => <Why timeline={timeline} isThen={at !== undefined} selected={shown} onSelect={setSelected} />}
      </Answer>
      {earlier.length > 0 && (
        <details>
          <summary>Earlier proposals ({earlier.length})</summary>
          {earlier.map((proposal) => (
            <ProposalCard key={proposal.id} proposal={proposal} isOfPage />
          ))}
        </details>
      )}
    </article>
  );
}

function keyOfLast(timeline: Timeline | undefined): string | undefined {
  const last = timeline?.entries.at(-1);
  return last === undefined ? undefined : keyOf(last);
}

function callsUnderWay({ operations }: OrderState): ReadonlySet<string> {
  return new Set(
    operations.filter(({ phase }) => phase === 'open').map(({ commandId, attempt }) => `${commandId} ${attempt}`),
  );
}

/** Lists what is still to come: timers, the time by which a person must act, and the end of a capture's window. */
function deadlinesOf(items: readonly Item[], timeline: Timeline | undefined): Deadline[] {
  const ofItems = items.flatMap((item) => [
    ...(aboutOf(item).byItself ?? []).map(({ what, at }) => ({ says: timerInWords(what), atMs: Date.parse(at) })),
    ...(item.actBy === undefined ? [] : [{ says: 'act by', atMs: Date.parse(item.actBy), isDue: true }]),
  ]);
  const windows = (timeline?.entries ?? []).flatMap(
    ({ body: of }) => (of as { captureWindowEndsAt?: string }).captureWindowEndsAt ?? [],
  );
  const last = windows.at(-1);
  const isOpen = timeline?.status === 'authorized';
  const window =
    last !== undefined && isOpen ? [{ says: 'capture window ends', atMs: Date.parse(last), isDue: true }] : [];
  const seen = new Set<string>();
  return [...ofItems, ...window].filter(
    ({ says, atMs }) => !seen.has(`${says} ${atMs}`) && seen.add(`${says} ${atMs}`),
  );
}

/** The file that folds the order again, for whoever is asked for help. */
async function saveCase(merchant: string, orderId: string): Promise<void> {
  const file = await body(api.GET('/v1/orders/{merchant}/{orderId}/case', { params: { path: { merchant, orderId } } }));
  const address = URL.createObjectURL(new Blob([JSON.stringify(file, null, 2)], { type: 'application/json' }));
  const anchor = Object.assign(document.createElement('a'), { href: address, download: 'case.json' });
  anchor.click();
  URL.revokeObjectURL(address);
}
