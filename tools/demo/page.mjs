/**
 * Plays the checkout page without a browser: it runs @tranche/card-encryption as the page does, with the Origin that a browser would send.
 */
export function openPage({ tokenizeCard, origin, apiKeyId, cseKeysUrl, tokenizerUrl }) {
  const fetchOfNode = globalThis.fetch;
  return {
    /** `onAnswer(what, body)` is awaited for each answer that the page gets. */
    async tokenize(card, onAnswer) {
      globalThis.fetch = async (url, options) => {
        if (url !== cseKeysUrl && url !== tokenizerUrl) return fetchOfNode(url, options);
        const headers = new Headers(options.headers);
        headers.set('origin', origin);
        const answer = await fetchOfNode(url, { ...options, headers });
        await onAnswer(url === tokenizerUrl ? 'tokenizer' : 'key', await answer.clone().json());
        return answer;
      };
      try {
        return await tokenizeCard(card, { apiKeyId, cseKeysUrl, tokenizerUrl });
      } finally {
        globalThis.fetch = fetchOfNode;
      }
    },
  };
}
