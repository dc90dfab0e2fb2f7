import { newCardNumber, passesLuhn, plant } from './planted.js';

const merchants = [
  { merchant: 'shop-fr', notificationUrl: 'http://127.0.0.1/n', accountKey: 'old' },
  { merchant: 'shop-es' },
];
const accounts = {
  accounts: [{ account: 'demo', clientSecret: 'old' }],
  callers: [{ caller: 'payment-gateway', key: 'old' }],
};

it('every secret of the files is a canary, and none of the demo is left', () => {
  const { files, canaries, serviceKey, tokenEncryptionKey, card, cardInCommand } = plant(merchants, accounts);
  const names = canaries.map(({ name }) => name);
  const ofMerchants = ['account key', 'notification key', 'redirect key', 'previous notification key', 'API key'];
  expect(names).toEqual(
    expect.arrayContaining([
      ...merchants.flatMap(({ merchant }) => ofMerchants.map((key) => `${key} of ${merchant}`)),
      ...[
        'client secret of demo',
        'service key of payment-gateway',
        'password',
        'operator key',
        'TOKEN_ENCRYPTION_KEY',
        'card number',
      ],
    ]),
  );
  expect(JSON.stringify(files)).not.toContain('"old"');
  expect(files.merchants[0]).toMatchObject({ merchant: 'shop-fr', notificationUrl: 'http://127.0.0.1/n' });
  expect(Buffer.from(tokenEncryptionKey, 'base64').length).toBe(32);
  expect([card.number, cardInCommand].map(passesLuhn)).toEqual([true, true]);
  expect(serviceKey).not.toBe('');
});

it('no planted number is one of a test card, whatever is drawn', () => {
  for (let n = 0; n < 3_000; n++) expect(newCardNumber()).not.toMatch(/^49701012000/);
});

it('is another one each time', () => {
  expect(plant(merchants, accounts).serviceKey).not.toBe(plant(merchants, accounts).serviceKey);
});
