/**
 * Counts ordinary texts that the card scan refuses, and planted cards that it misses. TEXTS sets their number per kind (1,000) and per length
 * of a scheme (100), SEED selects them: `TEXTS=10000 SEED=30 UNIT=1 npx jest verification/test/texts`
 */
import { InvalidCommandError, Publisher, type CommandMessage } from '@tranche/client';
import {
  encodeCloudEvent,
  holdsCardData,
  judgeCommand,
  orderKey,
  validateCommandData,
  type Merchants,
} from '@tranche/contracts';
import { aCapture } from '@tranche/testing';
import { Random } from '../simulation/random.js';
import { KINDS } from './texts/kinds.js';
import { planted, SORTS } from './texts/planted.js';
import { SPELLINGS_OF_COMPANIES, withSiret } from './texts/companies.js';

const TEXTS = Number(process.env.TEXTS ?? 1_000);
const CARDS = Number(process.env.TEXTS ?? 100);
/** One of 1,000 texts may be chance: 10,000 show the share. */
const MOST = Math.max(1 / 2_000, 1 / TEXTS);
const SEED = Number(process.env.SEED ?? 7);

/** The share of wrong texts of a kind, with three of them, where it is above `most`. */
function wrong(
  name: string,
  write: (random: Random, turn: number) => string,
  count: number,
  isWrong: (text: string) => boolean,
  most = 0,
) {
  const random = new Random(SEED);
  const found = Array.from({ length: count }, (_, turn) => write(random, turn)).filter((text) => isWrong(text));
  return found.length > most * count ? [{ name, share: found.length / count, examples: found.slice(0, 3) }] : [];
}

it('refuses at most one in two thousand ordinary texts of each kind [Transaction.DESCRIPTION]', () => {
  const isRefused = (text: string) => holdsCardData(text);
  expect(Object.entries(KINDS).flatMap(([name, write]) => wrong(name, write, TEXTS, isRefused, MOST))).toEqual([]);
  expect(Object.keys(KINDS).length).toBeGreaterThanOrEqual(57);
});

it('takes the SIRET of any establishment beside a company name [Customer.SHIPTOCOMPANYNAME]', () => {
  const isRefused = (text: string) => holdsCardData(text);
  const inSpelling = SPELLINGS_OF_COMPANIES.flatMap(([name, spell]) =>
    wrong(name, (random) => withSiret(spell, random), TEXTS * 2, isRefused, MOST),
  );
  expect(inSpelling).toEqual([]);
});

describe('planted cards of every length of every scheme', () => {
  const missed = (isMissed: (text: string) => boolean) =>
    SORTS.flatMap((sort) => wrong(sort.name, (random, turn) => planted(sort, random, turn), CARDS, isMissed));

  it('are found', () => {
    expect(missed((text) => !holdsCardData(text))).toEqual([]);
    expect(SORTS.length).toBeGreaterThanOrEqual(45);
  });

  it('are refused by a gateway', () => {
    const merchant = {
      merchant: 'shop-fr',
      identifier: 'SHOP',
      accountKey: 'k',
      market: 'FR',
      currency: 'EUR',
      lookup: false,
    } as const;
    const merchants = { byName: () => merchant } as unknown as Merchants;
    const isAccepted = (text: string) => {
      const capture = aCapture({ description: text });
      const event = {
        id: 'c1',
        source: '/shop',
        type: 'payment.capture',
        time: new Date().toISOString(),
        subject: orderKey('shop-fr', capture.orderId),
        data: capture,
      } as const;
      const { headers, value } = encodeCloudEvent(event);
      const judged = judgeCommand(
        { key: orderKey('shop-fr', capture.orderId), headers, value },
        'partner-a',
        merchants,
      );
      return judged.read !== 'rejected' || judged.faults.map(({ code }) => code).join() !== 'card_data_forbidden';
    };
    expect(isAccepted('a text')).toBe(true);
    expect(missed(isAccepted)).toEqual([]);
  });

  it('are not sent by a client', async () => {
    const sent: CommandMessage[] = [];
    const send = (message: CommandMessage) => Promise.reject(new Error(`sent ${sent.push(message)}`));
    const publisher = new Publisher({ source: '/shop', send, waits: undefined as never, log: undefined as never });
    let taken = 0;
    for (const sort of SORTS) {
      const random = new Random(SEED);
      for (let turn = 0; turn < CARDS; turn++) {
        const capture = publisher.capture(aCapture({ extraData: planted(sort, random, turn) }), { id: 'c1', rail: 'partner-a' }); // prettier-ignore
        const reason = await capture.catch((refused: unknown) => refused);
        if (!(reason instanceof InvalidCommandError)) taken++;
      }
    }
    expect({ sent, taken }).toEqual({ sent: [], taken: 0 });
  });
});

it('a command with such texts is taken, and one with a card in its place refused [Customer.SHIPTOCOMPANYNAME]', () => {
  const faultsWith = (text: string) =>
    validateCommandData('partner-a', 'payment.capture', aCapture({ description: text, extraData: text })).faults;
  for (const text of ['SARL Dupont 39860733300059', 'Amazon 403-1234567-1234567', 'IBAN FR7630006000011234567890189'])
    expect(faultsWith(text)).toEqual([]);
  expect(faultsWith('SARL Dupont 4970101234567893')).toHaveLength(2);
});
