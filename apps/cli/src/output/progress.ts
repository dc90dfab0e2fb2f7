const ON_A_TERMINAL_MS = 200;
const ELSEWHERE_MS = 10_000;
const CLEAR_LINE = '\r\u001b[2K';

/** Says on stderr how far a long work is: one line that changes on a terminal, elsewhere a line now and then. */
export class Progress {
  #saidAtMs = -Infinity;
  #isOpen = false;

  constructor(
    private readonly stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  say(line: string): void {
    const { isTTY } = this.stream;
    if (this.nowMs() - this.#saidAtMs < (isTTY ? ON_A_TERMINAL_MS : ELSEWHERE_MS)) return;
    this.#saidAtMs = this.nowMs();
    this.#isOpen = isTTY;
    this.stream.write(isTTY ? `${CLEAR_LINE}${line}` : `${line}\n`);
  }

  end(): void {
    if (this.#isOpen) this.stream.write(CLEAR_LINE);
    this.#isOpen = false;
  }
}
