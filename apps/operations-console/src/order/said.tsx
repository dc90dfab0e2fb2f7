import { remedyOf } from '../text/words.js';

/** The fate of a statement: it counts, it waits, or it does not count and why. */
export interface Answered {
  tone: 'good' | 'wait' | 'grave';
  says: string;
  more: string;
  code?: string;
}

export function Said({ answered }: { answered: Answered | undefined }) {
  return (
    <div role="status" className="said" data-tone={answered?.tone}>
      {answered !== undefined && (
        <>
          <strong>{answered.says}</strong> {answered.more} {answered.code !== undefined && remedyOf(answered.code)}
        </>
      )}
    </div>
  );
}
