/** The code of README.md, so that it compiles; a check of the documents compares them. */
// eslint-disable-next-line @nx/enforce-module-boundaries -- a reader imports the package by its name
import { tokenizeCard } from '@tranche/card-encryption';

export async function pay(apiKeyId: string, tokenizerUrl: string): Promise<string> {
  const { hfToken } = await tokenizeCard(
    { cardCode: '4970101200040016', cardValidityDate: '12-49', cardCvv: '123', selectedBrand: 'visa' },
    { apiKeyId, cseKeysUrl: 'https://keys.shop.example/v1/cse-keys', tokenizerUrl },
  );
  return hfToken;
}
