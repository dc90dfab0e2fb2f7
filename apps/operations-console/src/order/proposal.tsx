import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { OrderState } from '@tranche/order-journal';
import { Link } from 'wouter';
import { api, body, taken, type Schema } from '../api/client.js';
import { mayDo, useMe } from '../api/console.js';
import { useOrder, type AttentionItem, type Proposal } from '../api/reads.js';
import { Chip, Facts, TimeLeft, When } from '../parts/parts.js';
import { orderPath } from '../parts/records.js';
import { aboutOf } from '../queue/urgency.js';
import { money, spaced } from '../text/format.js';
import { Published } from '../text/published.js';
import { operationInWords, whyTwoInWords } from '../text/words.js';
import { Subject, type Amounts } from './needs.js';
import { refusalOf } from './refusal.js';
import { Said, type Answered } from './said.js';
import { WhatIf } from './what-if.js';

/** The statement that is proposed. */
interface Words {
  outcome?: string;
  reason?: string;
  transactionId?: string;
  amount?: number;
  reference?: string;
}
const STATE_TONES: Readonly<Record<string, string>> = { open: 'wait', approved: 'good', rejected: 'grave' };

/** Proposals that were open at some time of this visit: whoever decided one sees in its place whether it counted. */
export function useOpenOnes(proposals: readonly Proposal[]): Proposal[] {
  const seen = useRef(new Set<string>());
  for (const { id, state } of proposals) if (state === 'open') seen.current.add(id);
  return proposals.filter(({ id }) => seen.current.has(id));
}

/** A proposal and, for whoever may decide it, what would happen and the two answers. */
export function ProposalCard({ proposal, isOfPage = false }: { proposal: Proposal; isOfPage?: boolean }) {
  const { id, merchant, orderId, proposedBy, proposedAt, state, judged, why } = proposal;
  const { expiresAt } = proposal as { expiresAt?: string };
  const said: Words = proposal.resolution ?? proposal.settlement ?? {};
  const { data: me } = useMe();
  const [answered, setAnswered] = useState<Answered>();
  const queries = useQueryClient();
  const isOwn = me?.person === proposedBy;
  // An answer is there before the list that has it.
  const isAnswered = answered !== undefined && answered.tone !== 'grave';
  const mayDecide = state === 'open' && !isOwn && !isAnswered && mayDo(me?.role, 'approver');
  // A statement has no currency of its own, and the page asks no what-if for who proposed it.
  const order = useOrder(merchant, orderId, state === 'open' || said.amount !== undefined).data;
  const item = (order?.attention as unknown as AttentionItem[] | undefined)?.find(
    (one) => one.id === proposal.operation || aboutOf(one).conflictIds?.includes(proposal.conflict ?? ''),
  );
  const whatIf = useQuery({
    queryKey: ['order', merchant, orderId, 'what-if', id],
    enabled: mayDecide,
    retry: false,
    queryFn: () => wouldBe(proposal),
  });
  const deciding = useMutation({
    mutationFn: (what: 'approve' | 'reject') =>
      taken<object>(
        what === 'approve'
          ? api.POST('/v1/proposals/{id}/approve', { params: { path: { id } } })
          : api.POST('/v1/proposals/{id}/reject', { params: { path: { id } } }),
      ),
    onSuccess: ({ status, body: answer }, what) => {
      if (what === 'reject') return setAnswered({ tone: 'good', says: 'It is rejected.', more: 'Nothing changed.' });
      const isJudged = status === 200 && !('recorded' in answer);
      setAnswered(isJudged ? { tone: 'good', says: 'It counts.', more: 'The shop is told.' } : { tone: 'wait', says: 'It is recorded, and not judged yet.', more: 'This page says when it counts.' }); // prettier-ignore
    },
    onError: (error) => setAnswered(refusalOf(error)),
    onSettled: () => void queries.invalidateQueries(),
  });
  return (
    <section className="needs proposal" data-state={state} data-id={id}>
      <h2>
        <Chip tone={STATE_TONES[state]}>{state === 'open' ? 'Approval' : state}</Chip> {proposedBy} says:{' '}
        {spaced(said.outcome ?? '')}
      </h2>
      {!isOfPage && (
        <p>
          <Link href={orderPath(merchant, orderId)} data-row>
            <Published text={orderId} isPressable={false} />
          </Link>{' '}
          {merchant}
          {item !== undefined && `: ${operationInWords(aboutOf(item).operation)} ${money(item.amount, item.currency)}`}
        </p>
      )}
      {!isOfPage && item !== undefined && <Subject item={item} state={order?.state as unknown as OrderState} />}
      <blockquote>
        <Published text={said.reason ?? ''} shown={300} />
      </blockquote>
      <Facts
        of={[
          ['proposed', <When key="at" at={proposedAt} isAgo />],
          expiresAt !== undefined && state === 'open' && ['lapses in', <TimeLeft key="left" until={expiresAt} />],
          said.transactionId !== undefined && ['TRANSACTIONID', <Published key="id" text={said.transactionId} />],
          said.amount !== undefined && [
            'amount',
            money(said.amount, (order?.amounts as Amounts | undefined)?.currency ?? undefined),
          ],
          said.reference !== undefined && ['reference', <Published key="reference" text={said.reference} />],
          ['two people, because', whyTwoInWords(why)],
          judged !== undefined && [
            'judged',
            judged.verdict === 'counted' ? 'it counts' : `${spaced(judged.verdict)}: ${judged.detail ?? ''}`,
          ],
        ]}
      />
      {state === 'open' && isOwn && <p className="hint">Another person must decide it: you proposed it.</p>}
      {state === 'open' && !isOwn && me !== undefined && !mayDo(me.role, 'approver') && (
        <p className="hint">Your role is {me.role}: an approver decides it.</p>
      )}
      {mayDecide && (
        <>
          <WhatIf asked={whatIf} title="If you approve" isApproval />
          <div className="decide-end">
            <button
              type="button"
              className="primary"
              data-decide
              disabled={deciding.isPending}
              onClick={() => deciding.mutate('approve')}
            >
              Approve
            </button>
            <button type="button" disabled={deciding.isPending} onClick={() => deciding.mutate('reject')}>
              Reject
            </button>
            <span className="hint">Look at the platform yourself first.</span>
          </div>
        </>
      )}
      <Said answered={answered} />
    </section>
  );
}

async function wouldBe({ operation, conflict, resolution, settlement }: Proposal): Promise<Schema['DryRun']> {
  const query = { dryRun: 'true' as const };
  if (conflict !== undefined && settlement !== undefined)
    return (await body(api.POST('/v1/conflicts/{id}/settle', { params: { path: { id: conflict }, query }, body: settlement }))) as Schema['DryRun']; // prettier-ignore
  if (operation === undefined || resolution === undefined) throw new Error('The proposal names no operation.');
  return (await body(api.POST('/v1/operations/{id}/resolve', { params: { path: { id: operation }, query }, body: resolution }))) as Schema['DryRun']; // prettier-ignore
}
