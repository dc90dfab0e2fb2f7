import { clock, money } from '../text/format.js';
import { Published } from '../text/published.js';
import { operationInWords, recordInWords } from '../text/words.js';
import type { Timeline } from './entry.js';
import type { OrderState } from '@tranche/order-journal';

interface WhyProps {
  timeline: Timeline;
  isThen: boolean;
  selected: string | undefined;
  onSelect: (key: string) => void;
}
interface Maker {
  partition: number;
  offset: string;
  kind: string;
  at: string;
}
const JOURNAL = 'payments.journal.v1';
/** These come first; the others are behind a press. */
const FIRST = new Set(['status', 'amounts', 'phase', 'end', 'amount', 'transactionId', 'attempt', 'since', 'latest']);

/** Every field of the order beside the record that made it. */
export function Why({ timeline, isThen, selected, onSelect }: WhyProps) {
  const why = timeline.why as unknown as Record<string, Maker>;
  const state = timeline.state as unknown as OrderState;
  const { status, amounts } = timeline;
  const currency = (amounts as { currency?: string | null }).currency ?? undefined;
  const { operations, merchant: _merchant, orderId: _orderId, ...rest } = state;
  const groups: [title: string, prefix: string, fields: Record<string, unknown>][] = [
    ['Order', '', { status, amounts, ...rest }],
    ...operations.map(({ commandId, ...fields }): [string, string, Record<string, unknown>] => [
      `${operationInWords(fields.operation)} ${commandId}`,
      `operations.${commandId}.`,
      fields,
    ]),
  ];
  const row =
    (prefix: string) =>
    ([name, value]: [string, unknown]) => {
      const maker = why[prefix + name];
      const key = maker && `${JOURNAL}/${maker.partition}/${maker.offset}`;
      return (
        <div key={name} data-made={key !== undefined && key === selected}>
          <dt>{name}</dt>
          <dd>
            <Published text={inWords(name, value, currency)} />
            {key !== undefined && (
              <button type="button" className="why" title="The record that made it" onClick={() => onSelect(key)}>
                why: {recordInWords(maker!.kind)} {clock(maker!.at)}
              </button>
            )}
          </dd>
        </div>
      );
    };
  return (
    <section aria-labelledby="why">
      <h2 id="why">{isThen ? 'As it was then, and why' : 'As it is, and why'}</h2>
      <div className="why-groups">
        {groups.map(([title, prefix, fields]) => {
          const all = Object.entries(fields).filter(([, value]) => value !== undefined && !isBare(value));
          const made = all.filter(([name]) => FIRST.has(name));
          const others = all.filter(([name]) => !FIRST.has(name));
          return (
            <section key={title} className="why-group">
              <h3>
                <Published text={title} shown={60} />
              </h3>
              <dl className="fields">{made.map(row(prefix))}</dl>
              {others.length > 0 && (
                <details>
                  <summary>{others.length} more fields</summary>
                  <dl className="fields">{others.map(row(prefix))}</dl>
                </details>
              )}
            </section>
          );
        })}
      </div>
    </section>
  );
}

const isBare = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

function inWords(name: string, value: unknown, currency: string | undefined): string {
  if (typeof value === 'number' && /amount$/i.test(name)) return money(value, currency);
  if (name === 'latest') return (value as { type: string }).type;
  if (name === 'amounts') return sumsInWords(value as Record<string, unknown>, currency);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const sumsInWords = (sums: Record<string, unknown>, currency: string | undefined): string =>
  Object.entries(sums)
    .filter(([, sum]) => typeof sum === 'number')
    .map(([name, sum]) => `${name} ${money(sum as number, currency)}`)
    .join(' · ');
