import type { Schema } from '../api/client.js';
import { Chip, Facts, Status } from '../parts/parts.js';
import { money, spaced } from '../text/format.js';
import { operationInWords, remedyOf } from '../text/words.js';
import { Refused } from '../api/client.js';
import { refusalOf } from './refusal.js';

interface Asked {
  data: Schema['DryRun'] | undefined;
  error: Error | null;
  isFetching: boolean;
}

interface WhatIfProps {
  asked: Asked;
  title: string;
  /** The reader is the second person. */
  isApproval?: boolean;
}

/** The consequences of a statement, before anybody makes it. */
export function WhatIf({ asked: { data, error, isFetching }, title, isApproval }: WhatIfProps) {
  return (
    <div className="what-if" role="group" aria-label="What would happen" aria-busy={isFetching}>
      <h3>{title}</h3>
      {error !== null && (
        <p className="fault" role="alert">
          {error instanceof Refused && !error.isOutcomeUnknown
            ? `It would not count: ${refusalOf(error).more} ${remedyOf(error.code) ?? ''}`
            : `Nobody can tell now: ${error.message}`}
        </p>
      )}
      {error === null && data === undefined && (
        <p className="hint">{isFetching ? 'Asking the gateway…' : 'Fill in what is missing.'}</p>
      )}
      {error === null && data !== undefined && <Consequences of={data} isApproval={isApproval} />}
    </div>
  );
}

const PAYS = ['authorize', 'pay'];

function Consequences({ of, isApproval = false }: { of: Schema['DryRun']; isApproval?: boolean | undefined }) {
  const { order, events, opens, closes, conflictsWith, approval } = of;
  const { status, amounts } = order;
  const currency = amounts.currency ?? undefined;
  const list = (asked: readonly Schema['Asked'][]) =>
    asked.map(({ operation }) => operationInWords(operation)).join(', ');
  const mayPayTwice = opens.some(({ operation }) => PAYS.includes(operation));
  return (
    <>
      {mayPayTwice && (
        <p className="warning" role="alert">
          Another payment goes through then. If you are wrong, <b>the customer pays twice.</b>
        </p>
      )}
      <Facts
        of={[
          ['the order is', <Status key="status" status={status} />],
          ['captured', money(amounts.captured, currency)],
          ['refunded', money(amounts.refunded, currency)],
          [
            'the shop is told',
            events.length === 0 ? 'nothing' : events.map(({ type }) => <code key={type}>{type}</code>),
          ],
          ['goes through then', opens.length === 0 ? 'nothing more' : list(opens)],
          closes.length > 0 && ['is refused then', list(closes)],
          conflictsWith.length > 0 && ['a later report is a conflict if it says', conflictsWith.map(spaced).join(', ')],
          !isApproval && ['who must agree', approval === undefined ? 'nobody: it counts at once' : <Chip key="who" tone="wait">another {approval.role} than {approval.notBy}</Chip>], // prettier-ignore
        ]}
      />
    </>
  );
}
