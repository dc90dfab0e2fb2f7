/** Texts of shops and of the platform are only ever text. What changes how it looks is shown instead of obeyed. */

/** Controls, zero-width characters, marks that turn the direction, separators of lines, and half of a pair. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Cn}]/u;
const PIECES = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Cn}]|[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Cn}]+/gu;

interface Piece {
  text: string;
  /** The text is the name of a character that nobody would see. */
  isName: boolean;
}

export const piecesOf = (text: string): Piece[] =>
  [...text.matchAll(PIECES)].map(([found]) =>
    HIDDEN.test(found) ? { text: nameOf(found), isName: true } : { text: found, isName: false },
  );

const nameOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** For places that take no elements, as a title. */
export const plain = (text: string): string =>
  piecesOf(text)
    .map(({ text: piece, isName }) => (isName ? `⟨${piece}⟩` : piece))
    .join('');
