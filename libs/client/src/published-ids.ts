/** The ids published last and what with, so that an id that is used for something else is seen before it goes out. */
export class PublishedIds {
  readonly #contentOf = new Map<string, string>();

  constructor(private readonly limit = 10_000) {}

  /** False when the id was used with other content. */
  note(id: string, contentHash: string): boolean {
    const known = this.#contentOf.get(id);
    if (known !== undefined && known !== contentHash) return false;
    this.#contentOf.delete(id);
    this.#contentOf.set(id, contentHash);
    if (this.#contentOf.size > this.limit) for (const oldest of this.#contentOf.keys()) return this.#contentOf.delete(oldest);
    return true;
  }
}
