/** The page "From another language" says what the contracts, the test vectors and the examples say. */
import { readdirSync, readFileSync } from 'node:fs';
import { signCommand, signedText } from '../../libs/contracts/src/signatures/command-signature.js';
import { createPrivateKey } from 'node:crypto';

const LANGUAGES = ['python', 'java', 'go'];
const read = (file) => readFileSync(file, 'utf8');
const page = read('docs/from-another-language.md');
const asyncapi = JSON.parse(read('libs/contracts/asyncapi.json'));
const { channels, components } = asyncapi;
const nameOf = ({ $ref }) => $ref.split('/').at(-1);

const blocks = (text, language) =>
  [...text.matchAll(/^```(\w+)\n([\s\S]*?)\n```$/gm)].filter(([, own]) => own === language).map(([, , code]) => code);
const rows = (section) =>
  [...section.matchAll(/^\|(.+)\|$/gm)].map(([, row]) => row.split('|').map((cell) => cell.trim())).slice(2);

describe('docs/from-another-language.md', () => {
  it('has a row for each type of command, with its topics and schema', () => {
    const wanted = new Map();
    for (const { address, messages } of Object.values(channels).filter(({ address }) =>
      address.includes('.commands.'),
    )) {
      for (const message of Object.values(messages)) {
        const { name, payload } = components.messages[nameOf(message)];
        if (payload.$ref === undefined) continue; // dead letters
        const row = `${name} ${nameOf(payload)}`;
        wanted.set(row, [...(wanted.get(row) ?? []), address]);
      }
    }
    const shown = rows(page).flatMap(([type, topics, schema = '']) => {
      const [, name] = /\[([\w-]+)\]\(\.\.\/libs\/contracts\/schemas\/\1\.json\)/.exec(schema) ?? [];
      return name === undefined
        ? []
        : [[`${type.replaceAll('`', '')} ${name}`, topics.replaceAll('`', '').split(', ')]];
    });
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(wanted));
  });

  it('names every header that is required, and no other as required', () => {
    const { required, properties } = components.schemas.CommandHeaders;
    const shown = rows(page).flatMap(([header, isRequired]) =>
      /^`(?:ce_\w+|content-type|traceparent|tranche-signature)`$/.test(header)
        ? [[header.replaceAll('`', ''), isRequired]]
        : [],
    );
    expect(shown.filter(([, isRequired]) => isRequired === 'yes').map(([header]) => header)).toEqual(required);
    for (const [header] of shown) expect(Object.keys(properties)).toContain(header);
  });

  it('names the definition of an event by its type', () => {
    const ofType = (type) =>
      type
        .split(/[._]/)
        .map((word) => word[0].toUpperCase() + word.slice(1))
        .join('');
    const { $defs } = JSON.parse(read('libs/contracts/schemas/payment-event.json'));
    for (const type of Object.keys(channels.events.messages)) expect(Object.keys($defs)).toContain(ofType(type));
    expect(page).toContain('of `payment.capture.in_doubt` it is `PaymentCaptureInDoubt`');
  });

  it('signs a capture as the test vectors do', () => {
    const { key, commands } = JSON.parse(read('libs/contracts/vectors/command-signatures.json'));
    const [{ environmentId, signature, value, ...rest }] = commands;
    const command = { ...rest, value: Buffer.from(value) };
    const privateKey = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', ...key }, format: 'jwk' });
    expect(signCommand(command, { kid: key.kid, privateKey, environmentId })).toBe(signature);
    expect(blocks(page, 'text')).toEqual([signedText(command, environmentId), signature]);
    for (const shown of [value, `{"alg":"EdDSA","kid":"${key.kid}"}`, key.d]) expect(page).toContain(`\`${shown}\``);
  });

  it('shows commands of the examples as their READMEs have them, which a test runs', () => {
    const ofReadmes = LANGUAGES.flatMap((language) => blocks(read(`examples/${language}/README.md`), 'sh'));
    const shown = blocks(page.split('\n## A command\n')[0], 'sh');
    expect(new Set(shown)).toEqual(new Set(ofReadmes));
  });

  it.each(LANGUAGES)('shows code of %s as the example has it', (language) => {
    const files = readdirSync(`examples/${language}`, { recursive: true }).filter((file) =>
      /\.(py|java|go)$/.test(file),
    );
    const code = files.map((file) => unindented(read(`examples/${language}/${file}`))).join('\n');
    for (const block of blocks(page, language)) expect(code).toContain(unindented(block));
    for (const setting of [
      'KAFKA_BROKERS',
      'KAFKA_TOPIC_PREFIX',
      'MERCHANT',
      'ORDER_ID',
      'SIGNING_KID',
      'SIGNING_KEY',
      'ENVIRONMENT_ID',
    ]) {
      expect(code).toContain(`"${setting}"`);
      expect(page).toContain(`\`${setting}\``);
    }
  });

  it('is short', () => expect(page.split(/\s+/).length).toBeLessThanOrEqual(1_200));
});

const unindented = (text) => text.replace(/^[ \t]+/gm, '');
