import { COMMAND_CLASSES } from '../commands/validate-command.js';
import { exampleOf } from '../examples.js';
import { check, fieldsOf } from './check.js';
import type { MessageClass } from './doc.js';

/** No text of a command may hold what nobody sees; each field is found in the classes. */
const HIDDEN = [
  ...[0x00, 0x07, 0x09, 0x0a, 0x0d, 0x1b, 0x1f, 0x7f, 0x80, 0x85, 0x9f],
  ...[0xad, 0x34f, 0x61c, 0x115f, 0x180e, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202d, 0x202e],
  ...[0x2060, 0x2066, 0x2069, 0x3164, 0xfeff, 0xfff9, 0xfffe, 0xffff, 0xd800, 0xdc00, 0xe0001, 0x1fffe],
];

interface TextField {
  name: string;
  type: MessageClass;
  path: string;
  steps: readonly (string | number)[];
  example: string;
  isFree: boolean;
}

function textsOf(
  type: MessageClass,
  example: unknown,
  steps: readonly (string | number)[] = [],
  root = type,
): TextField[] {
  const values = example as Record<string, unknown>;
  return fieldsOf(type).flatMap(({ name, nested, isList, maxLength }): TextField[] => {
    const value = values[name];
    const to = [...steps, name];
    if (nested !== undefined)
      return isList ? textsOf(nested, (value as unknown[])[0], [...to, 0], root) : textsOf(nested, value, to, root);
    if (typeof value !== 'string') return [];
    const path = to
      .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
      .join('')
      .slice(1);
    const isFree = maxLength !== undefined && !/(discount|tax)$/.test(path);
    return [{ name: `${root.name} ${path}`, type: root, path, steps: to, example: value, isFree }];
  });
}

function withText(message: unknown, [step, ...rest]: readonly (string | number)[], text: string): unknown {
  if (step === undefined) return text;
  const copy = (Array.isArray(message) ? [...(message as unknown[])] : { ...(message as object) }) as Record<
    string,
    unknown
  >;
  copy[step] = withText(copy[step], rest, text);
  return copy;
}

const FIELDS = COMMAND_CLASSES.flatMap((type) => textsOf(type, exampleOf(type)));
const EXAMPLES = new Map(COMMAND_CLASSES.map((type) => [type, exampleOf(type)]));
const faultsWith = ({ type, steps }: TextField, text: string) =>
  check(type, withText(EXAMPLES.get(type), steps, text), 'refused').faults;
const inWords = (code: number) => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;

it('finds the texts of all commands', () => {
  expect(FIELDS.filter(({ isFree }) => isFree).length).toBeGreaterThan(80);
});

describe.each(FIELDS)('$name', (field) => {
  const { path, example, isFree } = field;
  const mayBeEmpty = path === 'prescoringCode';
  it(`refuses each of ${HIDDEN.length} characters that nobody sees, with path and position`, () => {
    const mayBreak = path === 'shipping.address';
    const wrong = HIDDEN.filter((one) => !mayBreak || (one !== 0x0a && one !== 0x0d)).flatMap((code) =>
      [0, 1, example.length].flatMap((at) => {
        const text = example.slice(0, at) + String.fromCodePoint(code) + example.slice(at);
        const faults = faultsWith(field, text).map((one) => `${one.path} ${isFree ? one.message : 'refused'}`);
        const said = isFree ? `must not hold ${inWords(code)} at position ${at}` : 'refused';
        return faults.join() === `${path} ${said}` ? [] : [`${inWords(code)} at ${at}: ${faults.join()}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it(mayBeEmpty ? 'may be empty' : 'refuses blanks only', () => {
    for (const blank of [' ', '\u00a0', '\u2003', '\u3000', '\u2800']) {
      const faults = faultsWith(field, blank.repeat(Math.max(2, example.length)));
      expect(faults.map((one) => one.path)).toEqual(mayBeEmpty ? [] : [path]);
    }
  });
});

const field = (name: string) => FIELDS.find((one) => one.name === name)!;
const FIRST_NAME = field('PartnerAAuthorization billing.firstName');
const DESCRIPTION = field('Capture description');
const AGENT = field('CardPayment client.userAgent');

it.each([
  ['a name in Persian with U+200C', FIRST_NAME, 'علی\u200cرضا'],
  ['a name in Sinhala with U+200D', FIRST_NAME, 'ක්\u200dරි'],
  ['joined emoji', DESCRIPTION, 'Cadeau 👩‍👧 ❤️‍🔥 1️⃣'],
  ['a form of an ideograph', FIRST_NAME, '葛\u{e0100}'],
  ['Hebrew and Arabic', DESCRIPTION, 'כיסא كرسي'],
  ['accents apart', FIRST_NAME, 'Je\u0301ro\u0302me'],
  ['lines of an address of delivery', field('PartnerBAuthorization shipping.address'), '12 rue\r\nBât. C\nA'],
])('takes %s', (_what, one, text) => expect(faultsWith(one, text)).toEqual([]));

it.each([
  ['a joiner in front', FIRST_NAME, '\u200dAnna', 'U+200D at position 0'],
  ['a joiner at the end', FIRST_NAME, 'Anna\u200c', 'U+200C at position 4'],
  ['a joiner beside a blank', FIRST_NAME, 'An \u200cna', 'U+200C at position 3'],
  ['two joiners', FIRST_NAME, 'An\u200d\u200dna', 'U+200D at position 2'],
  ['a joiner where nobody types', AGENT, 'Mozilla\u200d5', 'U+200D at position 7'],
  ['a line break in a header', AGENT, 'Mozilla\r\nX: 1', 'U+000D at position 7'],
  ['the position counts code units', DESCRIPTION, '😀\u200b', 'U+200B at position 2'],
])('refuses %s', (_what, one, text, said) => {
  expect(faultsWith(one, text)).toEqual([{ path: one.path, code: 'format', message: `must not hold ${said}` }]);
});

it('says that a name of blanks is empty', () => {
  expect(faultsWith(field('CardPayment cardFullName'), ' ')).toEqual([
    { path: 'cardFullName', code: 'length', message: 'must have a character that is not blank' },
  ]);
});
