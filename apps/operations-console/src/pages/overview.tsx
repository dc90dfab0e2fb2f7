import { Link } from 'wouter';
import { useAttention, usePartitions, useRails } from '../api/reads.js';
import { useNow, useTitle } from '../parts/hooks.js';
import { Answer, Empty, Kind, Status, TimeLeft, When } from '../parts/parts.js';
import { Table } from '../parts/records.js';
import { count, money } from '../text/format.js';
import { Published } from '../text/published.js';
import { verdictOf } from '../queue/urgency.js';
import { RailFacts } from './rails.js';

/** Only what somebody can act on: money that waits for a person, rails, and what is not read. */
export function Overview() {
  useTitle('Overview');
  const now = useNow();
  const attention = useAttention({});
  const rails = useRails();
  const partitions = usePartitions();
  return (
    <>
      <h1>Overview</h1>
      <Answer of={attention} what="the queue">
        {({ counts, items }) => {
          const due = items.flatMap(({ actBy }) => actBy ?? []).sort()[0];
          return (
            <>
              <p className="about">{verdictOf(items, now, attention.behind ? 1 : 0).says}</p>
              <div className="cards">
                {counts.map(({ kind, number, oldest, amounts }) => (
                  <Link key={kind} href={`/?kind=${kind}`} className="card figure" data-row>
                    <Kind kind={kind} />
                    <strong>
                      {Object.entries(amounts ?? {}).map(([currency, sum]) => (
                        <span key={currency}>{money(sum, currency)}</span>
                      ))}
                      {amounts === undefined && number.toLocaleString('en')}
                    </strong>
                    <span>
                      {count(number, 'entry', 'entries')}
                      {oldest !== undefined && (
                        <>
                          , the oldest <When at={oldest} isAgo />
                        </>
                      )}
                    </span>
                  </Link>
                ))}
                {due !== undefined && (
                  <div className="card figure">
                    <span>The first decision is due in</span>
                    <strong>
                      <TimeLeft until={due} />
                    </strong>
                  </div>
                )}
              </div>
              {counts.length === 0 && <Empty>No money is in doubt, and nothing waits for a person.</Empty>}
            </>
          );
        }}
      </Answer>
      <h2>Rails</h2>
      <Answer of={rails} what="rails">
        {(all) => (
          <div className="cards">
            {all.map((rail) => (
              <Link key={rail.rail} href="/rails" className="card" data-row>
                <h3>
                  {rail.rail} <Status status={rail.state} />
                </h3>
                <RailFacts rail={rail} />
              </Link>
            ))}
          </div>
        )}
      </Answer>
      <h2>What is read of Kafka</h2>
      <Answer of={partitions} what="partitions">
        {(all) => {
          const bad = all.filter(({ behind, stopped }) => behind > 0 || stopped !== undefined);
          if (bad.length === 0) return <Empty>All {all.length} partitions are read to their end.</Empty>;
          return (
            <Table
              label="Partitions that are behind or stopped"
              rows={bad}
              keyOf={({ topic, partition }) => `${topic}/${partition}`}
              columns={[
                { name: 'Topic', of: ({ topic }) => topic },
                { name: 'Partition', isNumber: true, of: ({ partition }) => partition },
                { name: 'Behind', isNumber: true, of: ({ behind }) => behind.toLocaleString('en') },
                { name: 'Stopped', of: ({ stopped }) => <Published text={stopped ?? ''} /> },
              ]}
            />
          );
        }}
      </Answer>
    </>
  );
}
