import { useState, type ReactNode } from 'react';
import { When } from '../parts/parts.js';
import { count, money, moment, spaced } from '../text/format.js';
import { Published } from '../text/published.js';
import { fieldInWords } from '../text/words.js';
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
  const { currency } = entry.body as { currency?: string };
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
      <Fields of={flat(entry.body).map(([name, value]) => ({ name, value }))} currency={currency} later={OF_PROGRAMS} />
      {changed.length > 0 && (
        <p className="changed">
          It made: {changed.map((path) => fieldInWords(path.replace(/^operations\.[^.]+\./, ''))).join(', ')}
        </p>
      )}
    </div>
  );
}

interface OneField {
  name: string;
  value: unknown;
  /** It is of the record that is selected. */
  isMade?: boolean;
  maker?: ReactNode;
}
interface FieldsProps {
  of: readonly OneField[];
  currency?: string | undefined;
  /** Names of fields that are shown after a press. */
  later?: RegExp;
}
/** These are for programs, or stand above the fields already. */
const OF_PROGRAMS =
  /^(at|merchant|orderId|record|token|tag\..*|language.*|rulesVersion|commandId|contentHash|seen|verdict|partition|offset|topic)$/;

/** Fields of a record or of the order, in words. */
export function Fields({ of, currency, later }: FieldsProps) {
  const row = ({ name, value, isMade, maker }: OneField) => (
    <div key={name} data-made={isMade}>
      <dt title={name}>{fieldInWords(name)}</dt>
      <dd>
        <Published text={valueInWords(name, value, currency)} />
        {maker}
      </dd>
    </div>
  );
  const others = of.filter(({ name }) => later?.test(name));
  return (
    <>
      <dl className="fields">{of.filter((one) => !others.includes(one)).map(row)}</dl>
      {others.length > 0 && (
        <details>
          <summary>{count(others.length, 'more field')}</summary>
          <dl className="fields">{others.map(row)}</dl>
        </details>
      )}
    </>
  );
}

function valueInWords(name: string, value: unknown, currency: string | undefined): string {
  if (typeof value === 'number' && /amount(\.|$)/i.test(name)) return money(value, currency);
  if (Array.isArray(value) && /amounts$/i.test(name))
    return value.map((one: number) => money(one, currency)).join(', ');
  if (name === 'latest') return (value as { type: string }).type;
  if (name === 'amounts') return sumsInWords(value as Record<string, unknown>, currency);
  if (typeof value !== 'string') return JSON.stringify(value);
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return moment(value, Date.now());
  return CODES.test(name) ? spaced(value) : value;
}
/** The values of these are codes. */
const CODES = /(^|\.)(status|phase|end|result|reason|reasons\.\d+|code|verdict|outcome|kind|flags\.\d+)$/;

const sumsInWords = (sums: Record<string, unknown>, currency: string | undefined): string =>
  Object.entries(sums)
    .filter(([, sum]) => typeof sum === 'number')
    .map(([name, sum]) => `${name} ${money(sum as number, currency)}`)
    .join(' · ');

/** Every value with its path. */
export function flat(value: unknown, path = ''): [name: string, value: unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, one]) => flat(one, path === '' ? name : `${path}.${name}`));
}
