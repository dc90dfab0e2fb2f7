/** One question at a time. It is asked after everybody who gets its answer wanted one, so the answer is of no earlier moment. */
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
