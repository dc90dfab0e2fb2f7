import { constants, privateDecrypt, type KeyObject } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../clock.service.js';
import { allowAnyOrigin } from '../cse-keys/cse-keys.controller.js';
import type { EncryptionKeys } from '../cse-keys/encryption-keys.store.js';
import { answerCall, type Edge } from '../process/disturbance.js';
import { isCardExpired, maskedNumber, passesLuhn } from '../transactions/card.js';
import { binBrandsOf, binOf, hasBrand, networkOf, schemeOf } from '../transactions/card-bins.js';
import type { CardTokens } from '../transactions/card-tokens.store.js';
import { isRefusal, messageOf, refusal, type Refusal } from '../transactions/exec-codes.js';
import { readPlaintext, type CardPlaintext } from './card-plaintext.js';

interface TokenizerParts extends Edge {
  readonly encryptionKeys: EncryptionKeys;
  readonly cardTokens: CardTokens;
  readonly clock: Clock;
  readonly requiresSelectedBrand: boolean;
}

/** `POST /tokenizer {ENCRYPTEDDATA, ENCRYPTIONKEYID, APIKEYID}` answers HTTP 200 and a record with EXECCODE, also for refusals. */
export async function tokenizerController(server: FastifyInstance, parts: TokenizerParts): Promise<void> {
  const headers = { 'cache-control': 'no-store' };
  await server.register((scope, _options, done) => {
    scope.setErrorHandler((_error, _request, reply) => reply.code(200).send(refused(refusal('1005'))));
    allowAnyOrigin(scope, '/tokenizer');
    scope.get('/tokenizer', (_request, reply) => reply.send(refused(refusal('1006'))));
    scope.post('/tokenizer', (request, reply) => {
      const { APIKEYID: apiKeyId } = (request.body ?? {}) as { APIKEYID?: unknown };
      const { merchant, identifier } = parts.encryptionKeys.merchantOf(apiKeyId) ?? {};
      const subject = { operation: 'tokenizer', merchant, identifier };
      return answerCall(parts, { request, reply, subject, refused }, async () => {
        const made = await tokenize(request.body, parts);
        return { headers, body: isRefusal(made) ? refused(made) : made };
      });
    });
    done();
  });
}

const refused = ({ execCode, message }: Refusal) => ({ EXECCODE: execCode, MESSAGE: message });

/** Resolves to the interface's token record. */
async function tokenize(body: unknown, parts: TokenizerParts): Promise<object> {
  const { encryptionKeys, cardTokens, clock, requiresSelectedBrand } = parts;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return refusal('1005');
  const fields = body as Record<(typeof NEEDED)[number], unknown>;
  const missing = NEEDED.find((name) => fields[name] === undefined || fields[name] === '');
  if (missing !== undefined) return refusal('1001', missing);
  const notText = NEEDED.find((name) => typeof fields[name] !== 'string');
  if (notText !== undefined) return refusal('1002', notText);
  const { ENCRYPTEDDATA, ENCRYPTIONKEYID, APIKEYID } = fields as Record<(typeof NEEDED)[number], string>;
  const merchant = encryptionKeys.merchantOf(APIKEYID);
  if (merchant === undefined) return refusal('1002', 'APIKEYID');
  const privateKey = await encryptionKeys.privateKey(APIKEYID, ENCRYPTIONKEYID);
  if (privateKey === undefined) return refusal('1002', 'ENCRYPTIONKEYID');

  const bytes = decrypted(ENCRYPTEDDATA, privateKey);
  const card = bytes === undefined ? refusal('1002', 'ENCRYPTEDDATA') : readPlaintext(bytes, requiresSelectedBrand);
  bytes?.fill(0);
  if (isRefusal(card)) return card;
  const { cardCode, validityDate, selectedBrand } = card;
  if (!passesLuhn(cardCode)) return refusal('4012');
  if (selectedBrand !== undefined && !hasBrand(binOf(cardCode), selectedBrand)) return refusal('1002', 'SELECTEDBRAND');
  if (isCardExpired(validityDate, clock.nowMs())) return refusal('4015');
  const token = { code: cardCode, validityDate, fullName: '', selectedBrand };
  return tokenRecord(card, cardTokens.issue(merchant.identifier, token));
}

const NEEDED = ['ENCRYPTEDDATA', 'ENCRYPTIONKEYID', 'APIKEYID'] as const;

function tokenRecord({ cardCode, validityDate, selectedBrand }: CardPlaintext, hfToken: string) {
  const bin = binOf(cardCode);
  return {
    EXECCODE: '0000',
    MESSAGE: messageOf('0000'),
    HFTOKEN: hfToken,
    CARDTYPE: schemeOf(bin),
    CARDVALIDITYDATE: validityDate,
    CARDCODE: maskedNumber(cardCode),
    ...(selectedBrand && { SELECTEDBRAND: selectedBrand }),
    BINTYPE: bin.type,
    BINBRANDS: binBrandsOf(bin),
    BINNETWORK: networkOf(bin),
  };
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Interface, Encryption rules: RSA-OAEP with SHA-1, ciphertext in base64. */
function decrypted(encryptedData: string, key: KeyObject): Buffer | undefined {
  if (!BASE64.test(encryptedData)) return undefined;
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' };
  try {
    return privateDecrypt({ key, ...padding }, Buffer.from(encryptedData, 'base64'));
  } catch {
    // All decryption failures get the same answer, so that it reveals nothing about the key or the padding.
    return undefined;
  }
}
