import { encodeCloudEvent, holdsHiddenCardData, validateCommandData } from '@tranche/contracts';
import { aPartnerBAuthorization, notificationParameters } from '@tranche/testing';
import { authorization } from '../bench/commands.js';
import { Random } from '../simulation/random.js';

/** A run with 100,000 found no more. */
const MESSAGES = process.env.NIGHTLY ? 20_000 : 5_000;
const random = new Random(73);
const digits = (count: number) => Array.from({ length: count }, () => random.below(10)).join('');
const hex = (count: number) => Array.from({ length: count }, () => random.below(16).toString(16)).join('');
/** A UUID of the seed: one UUID in some thousands looks like a card number, so a random one would fail by chance. */
const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;

/** Writes order numbers, phones, times and addresses as shops do, other ones in each message. */
const honest = (n: number) => {
  const at = new Date(1_760_000_000_000 + n * 61_003);
  const time = at.toISOString();
  return {
    orderId: [`order-${n}`, `FR-2027-${digits(6)}`, uuid(), `${time.slice(0, 10)}/${digits(5)}`][n % 4]!,
    description: [
      `Order ${digits(8)} of ${time}`,
      `3 chairs, ${digits(4)} each; call +33 6 ${digits(2)} ${digits(2)} ${digits(2)} ${digits(2)}`,
      `Delivered ${time.slice(0, 10)} ${time.slice(11, 19)}, parcel ${digits(9)}`,
      `Security of the code ${digits(2)}, table no ${digits(3)}`,
    ][n % 4]!,
    extraData: [`basket=${n}`, `at=${at.getTime()}`, `visit-${digits(7)}`, `t:${digits(10)}`][n % 4]!,
  };
};

it(`refuses none of ${MESSAGES} honest commands, and finds card data in hardly one that is kept`, () => {
  let refused = 0;
  let withheld = 0;
  let altered = 0;
  for (let n = 0; n < MESSAGES; n++) {
    const texts = honest(n);
    const isOfA = n % 2 === 0;
    const command = isOfA ? { ...authorization(n), ...texts } : aPartnerBAuthorization(texts);
    const { faults } = validateCommandData(isOfA ? 'partner-a' : 'partner-b', 'payment.authorize', command);
    if (faults.some(({ code }) => code === 'card_data_forbidden')) refused++;
    const time = '2027-01-02T03:04:05.678Z';
    const { value } = encodeCloudEvent({
      id: uuid(),
      source: '/x',
      type: 'payment.authorize',
      time,
      data: command,
    });
    if (holdsHiddenCardData(value.toString('utf8'))) withheld++;
    const notified = notificationParameters({
      ORDERID: texts.orderId,
      EXTRADATA: texts.extraData,
      TRANSACTIONID: digits(12),
    });
    if (notified.some(([, text]) => holdsHiddenCardData(text))) altered++;
  }
  expect({ refused, isFew: withheld + altered < MESSAGES / 1_000 }).toEqual({ refused: 0, isFew: true });
});
