import { clock } from '../text/format.js';
import { Published } from '../text/published.js';
import { operationInWords, recordInWords } from '../text/words.js';
import type { Timeline } from './entry.js';
import { Fields } from './record.js';
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
/** All but these are behind a press. */
const LATER = /^(?!(status|amounts|phase|end|amount|otherAmounts|transactionId|attempt|since|latest)$)/;

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
  const field =
    (prefix: string) =>
    ([name, value]: [string, unknown]) => {
      const maker = why[prefix + name];
      if (maker === undefined) return { name, value };
      const key = `${JOURNAL}/${maker.partition}/${maker.offset}`;
      const button = (
        <button type="button" className="why" title="The record that made it" onClick={() => onSelect(key)}>
          why: {recordInWords(maker.kind)} {clock(maker.at)}
        </button>
      );
      return { name, value, isMade: key === selected, maker: button };
    };
  return (
    <section aria-labelledby="why">
      <h2 id="why">{isThen ? 'As it was then, and why' : 'As it is, and why'}</h2>
      <div className="why-groups">
        {groups.map(([title, prefix, fields]) => (
          <section key={title} className="why-group">
            <h3>
              <Published text={title} shown={60} />
            </h3>
            <Fields
              of={Object.entries(fields).filter(([, value]) => value !== undefined && !isBare(value)).map(field(prefix))}
              currency={currency}
              later={LATER}
            />
          </section>
        ))}
      </div>
    </section>
  );
} // prettier-ignore

const isBare = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
