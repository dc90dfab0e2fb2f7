/**
 * Checks `interface-sentences.json`, the numbered sentences and table rows of the interface. The interface itself is not in the repository,
 * so the list holds for each sentence its number, a summary, its rules and a hash of its text; for each section the count and a hash over
 * these hashes. A sentence that is left out, added or changed breaks a hash.
 */
import { createHash } from 'node:crypto';

const hashOf = (text) => createHash('sha256').update(text).digest('hex');
const SHORT = 12;

export const sectionHash = (sentences) => hashOf(sentences.map(({ hash }) => hash).join('\n')).slice(0, SHORT);

/**
 * Splits the interface's text into `[{ heading, sentences: [{ text, hash }] }]`. A sentence ends at a full stop or a semicolon; a table row
 * is one sentence.
 */
export function sentencesOf(text) {
  const sections = [];
  let isInTable = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('#')) sections.push({ heading: line.replace(/^#+ */, ''), sentences: [] });
    else sections.at(-1)?.sentences.push(...unitsOf(line, isInTable).map((unit) => ({ text: unit, hash: hashOf(unit).slice(0, SHORT) }))); // prettier-ignore
    isInTable = line.startsWith('|');
  }
  return sections.filter(({ sentences }) => sentences.length > 0);
}

function unitsOf(line, isInTable) {
  if (line.startsWith('|')) return isInTable && !/^[|\s:-]+$/.test(line) ? [line.replace(/\s+/g, ' ').trim()] : [];
  const sentence = line.replace(/^(?:\d+\.|-) /, '').replace(/`[^`]*`/g, (code) => code.replace(/[.;]/g, '\u0000$&'));
  return sentence
    .split(/(?<=(?<!\u0000)[.;])\s+/)
    .map((unit) => unit.replaceAll('\u0000', '').trim())
    .filter((unit) => unit !== '');
}

/** Parses the stored list. A line is `id | hash | summary | rules`, with `out of scope: why` instead of the rules where none apply. */
export function readSentences({ notShown, sections }) {
  return {
    notShown: notShown.flatMap(expanded),
    sections: sections.map((section) => ({ ...section, sentences: section.sentences.map(readSentence) })),
  };
}

function readSentence(line) {
  const [id = '', hash = '', says = '', rules = ''] = line.split(' | ');
  const [, outOfScope] = /^out of scope: (.+)/.exec(rules) ?? [];
  return { id, hash, says, outOfScope, rules: outOfScope ? [] : rules.split(' ').filter(Boolean).flatMap(expanded) };
}

/** Expands `Cart.{NAME,PRICE}` to Cart.NAME and Cart.PRICE. */
export function expanded(id) {
  const [, before, list, after] = /^(.*)\{(.*)\}(.*)$/.exec(id) ?? [];
  return list === undefined ? [id] : list.split(',').map((name) => `${before}${name.trim()}${after}`);
}

/** Checks the list on its own and returns faults, one line each. */
export function listFaults(sections) {
  const ids = sections.flatMap(({ sentences }) => sentences.map(({ id }) => id));
  return [
    ...ids.filter((id, at) => ids.indexOf(id) < at).map((id) => `${id} comes twice`),
    ...sections.flatMap(({ section, count, hash, sentences }) => [
      ...(sentences.length === count ? [] : [`${section} has ${count} sentences, ${sentences.length} are listed`]),
      ...(sectionHash(sentences) === hash ? [] : [`${section}: its sentences are not those of the interface`]),
      ...sentences.flatMap(sentenceFaults),
    ]),
  ];
}

function sentenceFaults({ id, says, rules, outOfScope }) {
  return [
    ...(says ? [] : [`${id} is not told in our words`]),
    ...(rules.length > 0 || outOfScope ? [] : [`${id} has neither a rule nor a reason to be out of scope`]),
    ...(rules.length > 0 && outOfScope ? [`${id} has rules and is out of scope`] : []),
  ];
}

/** Compares the list with the interface's own text, which only some people have. */
export function interfaceFaults(sections, text) {
  const real = sentencesOf(text);
  const known = new Set(sections.flatMap(({ sentences }) => sentences.map(({ hash }) => hash)));
  const there = new Set(real.flatMap(({ sentences }) => sentences.map(({ hash }) => hash)));
  const total = (list) => list.reduce((sum, { sentences }) => sum + sentences.length, 0);
  return [
    ...real.flatMap(({ heading, sentences }) => sentences.filter(({ hash }) => !known.has(hash)).map(({ text: said }) => `"${heading}" has a sentence that is not listed: ${said}`)), // prettier-ignore
    ...sections.flatMap(({ sentences }) => sentences.filter(({ hash }) => !there.has(hash)).map(({ id }) => `${id} is no sentence of the interface`)), // prettier-ignore
    ...(total(real) === total(sections) ? [] : [`the interface has ${total(real)} sentences, ${total(sections)} are listed`]), // prettier-ignore
  ];
}

export const rulesOf = ({ sections, notShown }) => ({
  rules: new Set(sections.flatMap(({ sentences }) => sentences.flatMap(({ rules }) => rules))),
  notShown,
});

/** Counts sentences as `{ covered, assumption, outOfScope }`. One assumed rule makes the sentence an assumption. */
export function countSentences(sections, assumed) {
  const count = { covered: 0, assumption: 0, outOfScope: 0 };
  for (const { rules, outOfScope } of sections.flatMap(({ sentences }) => sentences)) {
    if (outOfScope) count.outOfScope += 1;
    else if (rules.some((rule) => assumed.has(rule))) count.assumption += 1;
    else count.covered += 1;
  }
  return count;
}
