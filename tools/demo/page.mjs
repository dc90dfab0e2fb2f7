/** Plays the checkout page without a browser: @tranche/card-encryption runs as in the page, with the Origin that a browser would send. */
import { AsyncLocalStorage } from 'node:async_hooks';

export function openPage({ tokenizeCard, origin, apiKeyId, cseKeysUrl, tokenizerUrl }) {
  const listeners = new AsyncLocalStorage();
  const fetchOfNode = globalThis.fetch;
  globalThis.fetch = async (url, options) => {
    const onAnswer = listeners.getStore();
    if (onAnswer === undefined || (url !== cseKeysUrl && url !== tokenizerUrl)) return fetchOfNode(url, options);
    const headers = new Headers(options.headers);
    headers.set('origin', origin);
    const answer = await fetchOfNode(url, { ...options, headers });
    await onAnswer(url === tokenizerUrl ? 'tokenizer' : 'key', await answer.clone().json());
    return answer;
  };
  return {
    /** `onAnswer(what, body)` is awaited for each answer that the page gets. */
    tokenize: (card, onAnswer) =>
      listeners.run(onAnswer, () => tokenizeCard(card, { apiKeyId, cseKeysUrl, tokenizerUrl })),
  };
}
