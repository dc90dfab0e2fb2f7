import { useState } from 'react';
import { When } from '../parts/parts.js';
import { Published } from '../text/published.js';
import { isOfJournal, keyOf, LANES, laneOf, sentenceOf, toneOf, type Entry } from './entry.js';

interface RecordProps {
  entry: Entry | undefined;
  entries: readonly Entry[];
  onSelect: (key: string) => void;
  onTravel: (at: string) => void;
}

/** The record behind a mark; or all of them as a list. */
export function Record({ entry, entries, onSelect, onTravel }: RecordProps) {
  const [isList, setIsList] = useState(false);
  const index = entry === undefined ? -1 : entries.indexOf(entry);
  const to = (step: number) => {
    const next = entries[index + step];
    return next === undefined ? undefined : () => onSelect(keyOf(next));
  };
  return (
    <div className="record">
      <div className="record-tools">
        <button type="button" aria-label="Record before" disabled={to(-1) === undefined} onClick={to(-1)}>
          ←
        </button>
        <span>
          {index + 1} of {entries.length}
        </span>
        <button type="button" aria-label="Record after" disabled={to(1) === undefined} onClick={to(1)}>
          →
        </button>
        <button type="button" aria-pressed={isList} onClick={() => setIsList(!isList)}>
          As a list
        </button>
      </div>
      {isList && (
        <ol className="record-list">
          {entries.map((one) => (
            <li key={keyOf(one)} data-tone={toneOf(one)}>
              <button type="button" data-row aria-pressed={one === entry} onClick={() => onSelect(keyOf(one))}>
                <When at={one.at} /> <b>{LANES[laneOf(one)]}</b>{' '}
                <Published text={sentenceOf(one)} isPressable={false} />
              </button>
            </li>
          ))}
        </ol>
      )}
      {entry !== undefined && <Behind entry={entry} onTravel={onTravel} />}
    </div>
  );
}

function Behind({ entry, onTravel }: { entry: Entry; onTravel: (at: string) => void }) {
  const { topic, partition, offset, at, kind, changed = [] } = entry;
  const fields = flat(entry.body).filter(([name]) => !['merchant', 'orderId', 'record'].includes(name));
  return (
    <div className="behind" aria-live="polite">
      <h3 data-tone={toneOf(entry)}>
        <Published text={sentenceOf(entry)} />
      </h3>
      <p className="place">
        <When at={at} /> · {kind} · {topic}, partition {partition}, offset {offset}
        {isOfJournal(entry) && (
          <button type="button" className="link" onClick={() => onTravel(at)}>
            See the order as it was then
          </button>
        )}
      </p>
      <dl className="fields">
        {fields.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Published text={value} />
            </dd>
          </div>
        ))}
      </dl>
      {changed.length > 0 && (
        <p className="changed">It made: {changed.map((path) => path.replace(/^operations\.[^.]+\./, '')).join(', ')}</p>
      )}
    </div>
  );
}

/** Every value with its path, as text. */
export function flat(value: unknown, path = ''): [name: string, value: string][] {
  if (typeof value !== 'object' || value === null) return [[path, String(value)]];
  return Object.entries(value).flatMap(([name, one]) => flat(one, path === '' ? name : `${path}.${name}`));
}
