/**
 * Counts ordinary texts that the card scan refuses, and planted cards that it misses. TEXTS sets their number per kind (1,000), SEED selects
 * them: `TEXTS=10000 SEED=30 UNIT=1 npx jest verification/test/texts`
 */
import { holdsCardData, validateCommandData } from '@tranche/contracts';
import { aCapture } from '@tranche/testing';
import { Random } from '../simulation/random.js';
import { KINDS } from './texts/kinds.js';
import { planted, SCHEMES } from './texts/planted.js';

const TEXTS = Number(process.env.TEXTS ?? 1_000);
const SEED = Number(process.env.SEED ?? 7);

type Write = (random: Random) => string;

/** The share of wrong texts of each kind, with three of them, where it is above `most`. */
function wrong(
  kinds: readonly (readonly [name: string, write: Write])[],
  isWrong: (text: string) => boolean,
  most = 0,
) {
  return kinds.flatMap(([name, write]) => {
    const random = new Random(SEED);
    const found = Array.from({ length: TEXTS }, () => write(random)).filter(isWrong);
    return found.length > most * TEXTS ? [{ name, share: found.length / TEXTS, examples: found.slice(0, 3) }] : [];
  });
}

it('refuses at most one in a thousand ordinary texts of each kind [Transaction.DESCRIPTION]', () => {
  expect(wrong(Object.entries(KINDS), holdsCardData, 1 / 1_000)).toEqual([]);
  expect(Object.keys(KINDS).length).toBeGreaterThanOrEqual(38);
});

it('finds every planted card of every scheme', () => {
  const cards = SCHEMES.map((scheme) => [scheme, (random: Random) => planted(scheme, random)] as const);
  expect(wrong(cards, (text) => !holdsCardData(text))).toEqual([]);
  expect(SCHEMES.length).toBeGreaterThanOrEqual(8);
});

it('a command with such texts is taken, and one with a card in its place refused [Customer.SHIPTOCOMPANYNAME]', () => {
  const faultsWith = (text: string) =>
    validateCommandData('partner-a', 'payment.capture', aCapture({ description: text, extraData: text })).faults;
  for (const text of ['SARL Dupont 39860733300059', 'Amazon 403-1234567-1234567', 'IBAN FR7630006000011234567890189'])
    expect(faultsWith(text)).toEqual([]);
  expect(faultsWith('SARL Dupont 4970101234567893')).toHaveLength(2);
});
