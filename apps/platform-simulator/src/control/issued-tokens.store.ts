const MAX_TOKENS = 10_000;

/** The latest issued tokens, expired ones included. A search for leaked tokens needs this list. */
export class IssuedTokens {
  readonly accessTokens: string[] = [];
  readonly cardTokens: string[] = [];

  noteAccessToken(token: string): void {
    note(this.accessTokens, token);
  }

  noteCardToken(token: string): void {
    note(this.cardTokens, token);
  }
}

function note(tokens: string[], token: string): void {
  tokens.push(token);
  if (tokens.length > MAX_TOKENS) tokens.splice(0, tokens.length - MAX_TOKENS);
}
