/** Sends one request at a time. A caller gets the answer of a request that starts after its call, so the answer is never older than the call. */
export class NextAnswer<T> {
  #current: Promise<unknown> = Promise.resolve();
  #next?: Promise<T>;

  constructor(private readonly question: () => Promise<T>) {}

  ask(): Promise<T> {
    this.#next ??= this.#afterCurrent();
    return this.#next;
  }

  async #afterCurrent(): Promise<T> {
    await this.#current.catch(() => undefined);
    this.#next = undefined;
    const answer = this.question();
    this.#current = answer;
    return answer;
  }
}
