import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { api, body, type Schema } from '../api/client.js';
import { mayDo, useMe, useReason } from '../api/console.js';
import { usePaged } from '../api/reads.js';
import { Said, type Answered } from '../order/said.js';
import { refusalOf } from '../order/refusal.js';
import { useDraft, useTitle } from '../parts/hooks.js';
import { Choice, Field } from '../parts/fields.js';
import { Answer, Chip, Facts, Status, When } from '../parts/parts.js';
import { useFilter } from '../parts/query.js';
import { OrderLink, PagedTable } from '../parts/records.js';
import { spaced } from '../text/format.js';
import { Published } from '../text/published.js';

type Job = Schema['Job'];

/** A running job moves without any order that moves. */
const WATCHED_MS = 2_000;
const KINDS: Readonly<Record<Job['kind'], string>> = {
  reconcile: 'compare the platform’s export with the orders',
  'resolve-by-file': 'say how doubts ended, by the platform’s export',
  replay: 'send dead letters of a merchant again',
};
const NEW = { kind: 'reconcile' as Job['kind'], merchant: '', reason: '' };

/** Work on many orders at once: its plan is made first, and then somebody starts it. */
export function Jobs() {
  useTitle('Jobs');
  const ask = (cursor: string | undefined) => body(api.GET('/v1/jobs', { params: { query: { cursor } } }));
  const jobs = usePaged(['jobs'], ask, WATCHED_MS);
  const { data: me } = useMe();
  return (
    <>
      <h1>Jobs</h1>
      <p className="about">
        Work on many orders at once. The plan is made first and does nothing; then somebody starts it.
      </p>
      {mayDo(me?.role, 'operator') && <NewJob />}
      <PagedTable
        {...{ asked: jobs, label: 'Jobs', one: 'job', empty: 'There are no jobs.' }}
        rowsOf={(page) => page.jobs}
        keyOf={({ id }) => id}
        columns={[
          { name: 'Job', of: ({ id, kind }) => <Link data-row href={`/jobs/${encodeURIComponent(id)}`}>{spaced(kind)}</Link> }, // prettier-ignore
          { name: 'Status', of: ({ status }) => <Status status={status} /> },
          { name: 'Made', of: ({ createdAt, by }) => <><When at={createdAt} /> by {by}</> }, // prettier-ignore
          { name: 'Reason', of: ({ reason }) => <Published text={reason} /> },
          { name: 'Done', isNumber: true, of: ({ done, failed, total }) => `${done} of ${total}${failed > 0 ? `, ${failed} failed` : ''}` }, // prettier-ignore
        ]}
      />
    </>
  );
}

function NewJob() {
  const [draft, change, forget] = useDraft('job', NEW);
  const [csv, setCsv] = useState<{ name: string; text: string }>();
  const [, go] = useLocation();
  const needsFile = draft.kind !== 'replay';
  const making = useMutation({
    mutationFn: async () => {
      const merchant = draft.merchant.trim();
      const asked = { kind: draft.kind, reason: draft.reason.trim(), ...(merchant !== '' && { merchant }) };
      return body(api.POST('/v1/jobs', { body: { ...asked, ...(needsFile && csv && { csv: csv.text }) } }));
    },
    onSuccess: ({ id }) => {
      forget();
      go(`/jobs/${encodeURIComponent(id)}`);
    },
  });
  const reason = useReason('job');
  const isReady = reason.lacks(draft.reason) === 0 && (!needsFile || csv !== undefined);
  return (
    <details className="card">
      <summary>New job</summary>
      <form
        className="decide-fields"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) making.mutate();
        }}
      >
        <Choice
          className="wide"
          label="What is to be done"
          of={KINDS}
          value={draft.kind}
          onChoice={(kind) => change({ kind: kind as Job['kind'] })}
        />
        <Field label="Merchant" value={draft.merchant} onText={(merchant) => change({ merchant })} />
        {needsFile && (
          <label>
            The platform’s export <small>CSV</small>
            <input
              type="file"
              accept=".csv,text/csv"
              onChange={({ target }) => {
                const [file] = target.files ?? [];
                void file?.text().then((text) => setCsv({ name: file.name, text }));
              }}
            />
          </label>
        )}
        <Field
          label="Why"
          {...(reason.hint && { hint: reason.hint })}
          maxLength={reason.most}
          value={draft.reason}
          onText={(reason) => change({ reason })}
        />
        <button className="primary" disabled={!isReady || making.isPending}>
          {making.isPending ? 'Making the plan…' : 'Make the plan'}
        </button>
      </form>
      <Said answered={making.error === null ? undefined : refusalOf(making.error)} />
    </details>
  );
}

/** One job: its verdicts, its items, and what may be done with it now. */
export function JobPage({ id }: { id: string }) {
  useTitle('Job');
  const path = { params: { path: { id } } };
  const job = useQuery({
    queryKey: ['job', id],
    queryFn: () => body(api.GET('/v1/jobs/{id}', path)),
    refetchInterval: WATCHED_MS,
  });
  const [of, set] = useFilter();
  const verdict = of('verdict') as Schema['JobItem']['verdict'];
  const items = usePaged(['job', id, 'items', verdict], async (cursor) => {
    const query = { cursor, ...(of('verdict') !== '' && { verdict }) };
    const page = await body(api.GET('/v1/jobs/{id}/items', { params: { path: { id }, query } }));
    return page as Schema['JobItems'];
  });
  const state = job.data && [job.data.status, job.data.done, job.data.failed, job.data.approvedBy].join(' ');
  const queries = useQueryClient();
  useEffect(() => void queries.invalidateQueries({ queryKey: ['job', id, 'items'] }), [queries, id, state]);
  return (
    <>
      <p className="about">
        <Link href="/jobs">Jobs</Link> / {id}
      </p>
      <Answer of={job} what="the job" title="Job">
        {(one) => (
          <>
            <h1>
              {spaced(one.kind)} <Status status={one.status} />
            </h1>
            <Facts
              of={[
                ['made', <span key="made"><When at={one.createdAt} /> by {one.by}</span>], // prettier-ignore
                ['why', <Published key="why" text={one.reason} />],
                one.why !== undefined && ['it stopped, because', <Published key="stopped" text={one.why} />],
                one.merchants.length > 0 && ['merchants', one.merchants.join(', ')],
                ['done', `${one.done} of ${one.total}`],
                one.failed > 0 && ['failed', <Chip key="failed" tone="grave">{one.failed}</Chip>], // prettier-ignore
                one.startedBy !== undefined && ['started by', one.startedBy],
                one.approvedBy !== undefined && ['approved by', one.approvedBy],
              ]}
            />
            <progress value={one.done} max={Math.max(one.total, 1)} aria-label="Done" />
            <JobActions job={one} />
            <div className="filters" role="group" aria-label="Verdict">
              {Object.entries(one.counts).map(([name, number]) => (
                <button
                  {...{ key: name, type: 'button', className: 'filter', 'aria-pressed': of('verdict') === name }}
                  onClick={() => set('verdict', of('verdict') === name ? '' : name)}
                >
                  {spaced(name)} <b>{number}</b>
                </button>
              ))}
            </div>
          </>
        )}
      </Answer>
      <PagedTable
        {...{ asked: items, label: 'Items', one: 'item', empty: 'The plan has no such items.' }}
        rowsOf={(page) => page.items}
        keyOf={({ number }) => number}
        columns={[
          { name: 'No.', isNumber: true, of: ({ number }) => number },
          { name: 'About', of: ({ key }) => <About of={key} /> },
          { name: 'Verdict', of: (row) => spaced(row.verdict) },
          { name: 'Why', of: ({ why }) => <Published text={why} /> },
          { name: 'Came to', of: ({ result, resultWhy }) => <Published text={[result, resultWhy].filter(Boolean).join(': ')} /> }, // prettier-ignore
        ]}
      />
    </>
  );
}

function About({ of: key }: { of: string }) {
  const at = key.indexOf('/');
  return at < 0 ? <Published text={key} /> : <OrderLink merchant={key.slice(0, at)} orderId={key.slice(at + 1)} />;
}

type Deed = 'start' | 'approve' | 'cancel';
const SAYS: Readonly<Record<Deed, string>> = {
  start: 'It was started.',
  approve: 'Its approval was started.',
  cancel: 'It is cancelled.',
};

function JobActions({ job }: { job: Job }) {
  const { data: me } = useMe();
  const queries = useQueryClient();
  const [answered, setAnswered] = useState<Answered>();
  const params = { params: { path: { id: job.id } } };
  const doing = useMutation({
    mutationFn: (what: Deed) => body(api.POST(`/v1/jobs/{id}/${what}`, params)),
    onSuccess: (_, what) => setAnswered({ tone: 'good', says: SAYS[what], more: '' }),
    onError: (error) => setAnswered(refusalOf(error)),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['job', job.id] }),
  });
  const isWaiting = job.status === 'planned' || job.status === 'interrupted';
  // An approval has begun the second pass, which goes on by another approval.
  const isApproval = job.approvedBy !== undefined;
  const hasProposals = (job.counts.propose ?? 0) > 0 && job.status === 'done' && !isApproval;
  const isApprovable = (hasProposals || (isApproval && job.status === 'interrupted')) && me?.person !== job.startedBy;
  const canDo = (what: Deed, text: string, isShown: boolean) =>
    isShown && (
      <button
        type="button"
        className={what === 'cancel' ? '' : 'primary'}
        disabled={doing.isPending}
        onClick={() => doing.mutate(what)}
      >
        {text}
      </button>
    );
  if (!mayDo(me?.role, 'operator')) return null;
  return (
    <>
      <div className="decide-end">
        {canDo('start', job.status === 'interrupted' ? 'Go on' : 'Start', isWaiting && !isApproval)}
        {canDo('approve', 'Approve its proposals', isApprovable && mayDo(me?.role, 'approver'))}
        {canDo('cancel', 'Cancel', isWaiting || job.status === 'running')}
      </div>
      <Said answered={answered} />
    </>
  );
}
