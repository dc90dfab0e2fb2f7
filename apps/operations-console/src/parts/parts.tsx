/** Small parts that every page is made of. */
import { useEffect, useRef, type ReactNode } from 'react';
import { Refused } from '../api/client.js';
import { count, duration, fromNow, moment, whole } from '../text/format.js';
import { kindInWords, remedyOf, toneOf } from '../text/words.js';
import { useSaid } from './hooks.js';

/** A time as people say it; the whole of it is in its title. */
export function When({ at, isAgo = false }: { at: string; isAgo?: boolean }) {
  const says = useSaid((now) => (isAgo ? fromNow(at, now) : moment(at, now)));
  return (
    <time dateTime={at} title={whole(at)}>
      {says}
    </time>
  );
}

const HOUR_MS = 3_600_000;

/** The time that is left. It is grave once less than an hour is. */
export function TimeLeft({ until }: { until: string }) {
  const untilMs = Date.parse(until);
  const says = useSaid((now) => duration(untilMs - now) + (untilMs < now ? ' too late' : ''));
  const tone = useSaid((now) => (untilMs - now < HOUR_MS ? 'grave' : ''));
  return (
    <time dateTime={until} title={whole(until)} className="time-left" data-tone={tone || undefined}>
      {says}
    </time>
  );
}

export const Chip = ({ tone, children }: { tone?: string | undefined; children: ReactNode }) => (
  <span className="chip" data-tone={tone}>
    {children}
  </span>
);
export const Kind = ({ kind }: { kind: string }) => <Chip tone={toneOf(kind)}>{kindInWords(kind)}</Chip>;

const TONES: Readonly<Record<string, string>> = {
  ...{ in_doubt: 'doubt', frozen: 'grave', refused: 'grave', rejected: 'quiet', given_up: 'quiet', expired: 'quiet' },
  ...{
    captured: 'good',
    authorized: 'good',
    refunded: 'good',
    partly_refunded: 'good',
    succeeded: 'good',
    voided: 'quiet',
  },
  ...{
    pending: 'wait',
    redirect_required: 'wait',
    in_progress: 'wait',
    not_executed: 'quiet',
    running: 'good',
    stopped: 'grave',
  },
};
export const Status = ({ status }: { status: string }) => (
  <Chip tone={TONES[status]}>{status.replaceAll('_', ' ')}</Chip>
);

export const Empty = ({ children }: { children: ReactNode }) => <p className="state empty">{children}</p>;

export const Loading = ({ what }: { what: string }) => (
  <div className="state loading" role="status">
    <span className="bars" aria-hidden="true">
      <i />
      <i />
      <i />
    </span>
    Reading {what}…
  </div>
);

/** A failure says what is not there, why, and what to do. */
function Failed({ error, what, onAgain }: { error: Error; what: string; onAgain?: (() => void) | undefined }) {
  const { status, code } = error instanceof Refused ? error : { status: 0, code: '' };
  const isForbidden = status === 403;
  return (
    <div className="state failed" role="alert">
      <strong>{isForbidden ? `You may not see ${what}.` : `No ${what}: ${error.message}`}</strong>
      {isForbidden && <span> {error.message}</span>}
      <span> {remedyOf(code)}</span>
      {!isForbidden && onAgain !== undefined && (
        <button type="button" onClick={onAgain}>
          Try again
        </button>
      )}
    </div>
  );
}

export interface Asked<T> {
  data: T | undefined;
  error: Error | null;
  isPending: boolean;
  refetch: () => unknown;
}

interface AnswerProps<T> {
  of: Asked<T>;
  what: string;
  /** The page's title until the answer brings one. */
  title?: string;
  children: (data: T) => ReactNode;
}

/** Shows what a question came to: still waiting, refused, or its answer. An answer stays while a newer one can not be had. */
export function Answer<T>({ of, what, title, children }: AnswerProps<T>) {
  const { data, error, refetch } = of;
  const head = title !== undefined && data === undefined && <h1>{title}</h1>;
  if (data === undefined && error === null)
    return (
      <>
        {head}
        <Loading what={what} />
      </>
    );
  const again = () => void refetch();
  return (
    <>
      {head}
      {error !== null && <Failed error={error} what={data === undefined ? what : `newer ${what}`} onAgain={again} />}
      {data !== undefined && children(data)}
    </>
  );
}

/** A window over the page. Escape, the button and a press beside it close it; focus goes back to where it was. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={({ target }) => target === dialog.current && onClose()}
    >
      <header>
        <h2>{title}</h2>
        <button type="button" className="plain" onClick={onClose}>
          Close
        </button>
      </header>
      {children}
    </dialog>
  );
}

/** The part of a list that is shown, and the ways to the others. */
export interface Parts {
  part: number;
  /** The part before is still shown, because this one is not there yet. */
  isPlaceholderData: boolean;
  before: (() => void) | undefined;
  behind: (() => void) | undefined;
}

export function PartOf({ parts, shown, of }: { parts: Parts; shown: number; of: string }) {
  const { part, before, behind, isPlaceholderData } = parts;
  if (isPlaceholderData) return <p className="more-line">Reading…</p>;
  return (
    <p className="more-line">
      {count(shown, of)} {before || behind ? `on page ${part}` : 'shown'}
      {before !== undefined && (
        <button type="button" onClick={before}>
          Page before
        </button>
      )}
      {behind !== undefined && (
        <button type="button" onClick={behind}>
          Next page
        </button>
      )}
    </p>
  );
}

export function Facts({ of }: { of: readonly (readonly [name: string, value: ReactNode] | false | undefined)[] }) {
  return (
    <dl className="facts">
      {of.flatMap((fact) =>
        fact === false || fact === undefined
          ? []
          : [
              <div key={fact[0]}>
                <dt>{fact[0]}</dt>
                <dd>{fact[1]}</dd>
              </div>,
            ],
      )}
    </dl>
  );
}
