import { commentsWithHiddenSubject, hiddenSubjects } from './comment-openings.mjs';

it.each([
  ['a doc comment', '/** What was lost may have been sent. */'],
  ['a doc comment of several lines', '/**\n * Whether the partition goes on.\n * @returns nothing\n */'],
  ['a line comment', 'const a = 1;\n// Of the oldest attempt.'],
  ['a comment behind code', 'const a = 1; /'.concat('/ Where it began.')],
])('%s that hides its subject is found', (_kind, text) => {
  expect(hiddenSubjects(text)).toHaveLength(1);
});

it.each([
  ['one with a subject', '/** The lost records may include an attempt, so it is never sent. */'],
  ['the middle of a sentence', '/**\n * The reader stops a partition\n * Where its log ends.\n */'],
  ['the second line of a comment', '// The reader stops a partition.\n// What it read before stays.'],
  ['a text that is no comment', "const a = 'What /".concat("/ Of';")],
])('%s is not', (_kind, text) => {
  expect(hiddenSubjects(text)).toEqual([]);
});

it('every comment of the repository says who or what does something', () => {
  expect(commentsWithHiddenSubject()).toEqual([]);
});
