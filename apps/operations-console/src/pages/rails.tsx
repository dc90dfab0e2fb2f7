import { useRails } from '../api/reads.js';
import { useTitle } from '../parts/hooks.js';
import { Answer, Empty, Facts, Status, When } from '../parts/parts.js';
import { count, money } from '../text/format.js';
import type { Schema } from '../api/client.js';

/** The rails: which goes, which is stopped and why, and what waits for it. */
export function Rails() {
  useTitle('Rails');
  const rails = useRails();
  return (
    <>
      <h1>Rails</h1>
      <Answer of={rails} what="rails">
        {(all) =>
          all.length === 0 ? (
            <Empty>The gateway names no rails.</Empty>
          ) : (
            <div className="cards">
              {all.map((rail) => (
                <section key={rail.rail} className="card">
                  <h2>
                    {rail.rail} <Status status={rail.state} />
                  </h2>
                  <RailFacts rail={rail} />
                </section>
              ))}
            </div>
          )
        }
      </Answer>
    </>
  );
}

export function RailFacts({ rail: { says, since, nextTryAt, waiting } }: { rail: Schema['Rail'] }) {
  const sums = waiting?.money.map(({ currency, amount }) => money(amount, currency)).join(' + ');
  return (
    <Facts
      of={[
        says !== undefined && ['why', says],
        since !== undefined && ['since', <When key="since" at={since} isAgo />],
        nextTryAt !== undefined && ['tried again', <When key="next" at={nextTryAt} isAgo />],
        waiting !== undefined && ['wait', waiting.commands === 0 ? 'no commands' : count(waiting.commands, 'command')],
        sums !== undefined &&
          sums !== '' && ['money that waits', `${sums}${waiting?.isMoneyWhole === false ? ' and more' : ''}`],
      ]}
    />
  );
}
