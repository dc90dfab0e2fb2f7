const MAX_TOKENS = 10_000;

/** The latest tokens handed out, dead ones too: who searches for leaks must know what to look for. */
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
