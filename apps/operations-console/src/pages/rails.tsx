import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body, taken, type Schema } from '../api/client.js';
import { mayDo, useMe, useReason } from '../api/console.js';
import { useCalls, useRails } from '../api/reads.js';
import { refusalOf } from '../order/refusal.js';
import { Said } from '../order/said.js';
import { useDraft, useTitle } from '../parts/hooks.js';
import { Choice, Field } from '../parts/fields.js';
import { Answer, Chip, Empty, Facts, Status, TimeLeft, When } from '../parts/parts.js';
import { count, money } from '../text/format.js';
import { Published } from '../text/published.js';
import { Sparkline } from './sparkline.js';

type Control = Schema['Control'];

/** The rails and the merchants whose intake people stopped: which goes, which does not and why, and the switch. */
export function Rails() {
  useTitle('Rails');
  const rails = useRails();
  const controls = useQuery({
    queryKey: ['controls'],
    queryFn: async () => (await body(api.GET('/v1/controls'))).controls,
    refetchInterval: (query) => (query.state.data?.every((one) => one.acknowledged) === false ? 2_000 : false),
  });
  const [merchant, setMerchant] = useState('');
  const stopOf = (scope: string) => controls.data?.find((one) => one.scope === scope);
  const ofMerchants = (controls.data ?? []).filter(({ scope }) => scope.startsWith('merchant:'));
  return (
    <>
      <h1>Rails</h1>
      <p className="about">A stop keeps new commands waiting. A call that is under way goes on, and so do its times.</p>
      <Answer of={rails} what="rails">
        {(all) => (
          <div className="cards wide-cards">
            {all.map((rail) => (
              <section key={rail.rail} className="card">
                <h2>
                  {rail.rail} <Status status={rail.state} />
                </h2>
                <RailFacts rail={rail} />
                <Switch scope={`rail:${rail.rail}`} stop={stopOf(`rail:${rail.rail}`)} />
              </section>
            ))}
          </div>
        )}
      </Answer>
      <h2>Merchants</h2>
      <Answer of={controls} what="stops">
        {() => (
          <>
            {ofMerchants.length === 0 && <Empty>No merchant is stopped.</Empty>}
            <div className="cards wide-cards">
              {ofMerchants.map((stop) => (
                <section key={stop.scope} className="card">
                  <h3>{stop.scope.slice('merchant:'.length)}</h3>
                  <Switch scope={stop.scope} stop={stop} />
                </section>
              ))}
              <section className="card">
                <Field label="Another merchant" value={merchant} onText={(text) => setMerchant(text.trim())} />
                {/^[a-z0-9-]{1,32}$/.test(merchant) && stopOf(`merchant:${merchant}`) === undefined && (
                  <Switch scope={`merchant:${merchant}`} stop={undefined} />
                )}
              </section>
            </div>
          </>
        )}
      </Answer>
    </>
  );
}

const HOURS = { '': 'until somebody ends it', 1: 'for an hour', 4: 'for 4 hours', 12: 'for 12 hours' };
const NO_STOP = { reason: '', hours: '' };

/** Stops the intake of a rail or a merchant, or lets it go on; both need a reason. */
function Switch({ scope, stop }: { scope: string; stop: Control | undefined }) {
  const { data: me } = useMe();
  const queries = useQueryClient();
  const [draft, change, forget] = useDraft(`stop ${scope}`, NO_STOP);
  const reason = useReason();
  const doing = useMutation({
    mutationFn: () => {
      const path = { params: { path: { scope } } };
      const reason = draft.reason.trim();
      if (stop !== undefined) return taken(api.DELETE('/v1/controls/{scope}', { ...path, body: { reason } }));
      const expiresAt = draft.hours === '' ? {} : { expiresAt: new Date(Date.now() + Number(draft.hours) * 3_600_000).toISOString() }; // prettier-ignore
      return taken(api.PUT('/v1/controls/{scope}', { ...path, body: { reason, ...expiresAt } }));
    },
    onSuccess: forget,
    onSettled: () => void queries.invalidateQueries({ queryKey: ['controls'] }),
  });
  return (
    <>
      {stop !== undefined && (
        <Facts
          of={[
            ['stopped by', stop.by],
            ['since', <When key="since" at={stop.since} isAgo />],
            ['why', <Published key="why" text={stop.reason} />],
            [
              'goes on',
              stop.expiresAt === undefined ? 'when somebody says so' : <TimeLeft key="left" until={stop.expiresAt} />,
            ],
            ['known to', <Chip key="known" tone={stop.acknowledged ? 'good' : 'wait'}>{`${stop.instances.acknowledged} of ${count(stop.instances.of, 'instance')}`}</Chip>], // prettier-ignore
          ]}
        />
      )}
      {mayDo(me?.role, 'operator') && (
        <details className="switch">
          <summary>{stop === undefined ? 'Stop it' : 'Let it go on'}</summary>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              doing.mutate();
            }}
          >
            <Field
              label="Why"
              required
              {...(reason.hint && { hint: reason.hint })}
              maxLength={reason.most}
              value={draft.reason}
              onText={(reason) => change({ reason })}
            />
            {stop === undefined && (
              <Choice label="How long" of={HOURS} value={draft.hours} onChoice={(hours) => change({ hours })} />
            )}
            <button className="primary" disabled={doing.isPending || reason.lacks(draft.reason) > 0}>
              {stop === undefined ? `Stop ${scope.replace(':', ' ')}` : `Let ${scope.replace(':', ' ')} go on`}
            </button>
          </form>
        </details>
      )}
      <Said answered={doing.error === null ? undefined : refusalOf(doing.error)} />
    </>
  );
}

/** A rail's state, and how its calls of the last hour went. */
export function RailFacts({ rail: { rail, says, since, nextTryAt, waiting } }: { rail: Schema['Rail'] }) {
  const calls = useCalls();
  const sums = waiting?.money.map(({ currency, amount }) => money(amount, currency)).join(' + ');
  return (
    <>
      <Facts
        of={[
          says !== undefined && ['why', says],
          since !== undefined && ['since', <When key="since" at={since} isAgo />],
          nextTryAt !== undefined && ['tried again', <When key="next" at={nextTryAt} isAgo />],
          waiting !== undefined && [
            'wait',
            waiting.commands === 0 ? 'no commands' : count(waiting.commands, 'command'),
          ],
          sums !== undefined && sums !== '' && ['money that waits', `${sums}${waiting?.isMoneyWhole === false ? ' and more' : ''}`], // prettier-ignore
        ]}
      />
      <Sparkline of={calls.data?.find((one) => one.rail === rail)} />
    </>
  );
}
