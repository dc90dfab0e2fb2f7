import { useState } from 'react';
import { piecesOf } from './pieces.js';

const SHOWN = 120;

/** A text that somebody else wrote. A long one is clipped, and a press shows all of it. */
export function Published({
  text,
  shown = SHOWN,
  isPressable = true,
}: {
  text: string;
  shown?: number;
  isPressable?: boolean;
}) {
  const [isWhole, setIsWhole] = useState(false);
  const isLong = text.length > shown + 20;
  const part = isLong && !isWhole ? text.slice(0, shown) : text;
  return (
    <bdi className="published" dir="ltr">
      {piecesOf(part).map(({ text: piece, isName }, index) =>
        isName ? (
          <span key={index} className="hidden-character" title="A character that nobody would see">
            {piece}
          </span>
        ) : (
          piece
        ),
      )}
      {isLong && !isWhole && '…'}
      {isLong && isPressable && (
        <button type="button" className="more" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'less' : `all ${text.length} characters`}
        </button>
      )}
    </bdi>
  );
}
