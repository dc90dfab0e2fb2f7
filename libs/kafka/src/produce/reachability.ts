/** Whether Kafka takes what a producer sends, as its readiness check says it. */
export class Reachability {
  private reason: string | undefined = 'has not connected to Kafka yet';
  private failures = 0;

  /** Why not; undefined when it does. */
  get trouble(): string | undefined {
    return this.reason;
  }

  get failureCount(): number {
    return this.failures;
  }

  failed(trouble: string): void {
    this.reason = trouble;
    this.failures++;
  }

  /** Kafka took a batch. */
  acknowledged(): void {
    this.reason = undefined;
  }

  /** Kafka answered something that was asked when there had been so many failures: one that came later counts. */
  answered(failuresBefore: number): void {
    if (this.failures === failuresBefore) this.reason = undefined;
  }
}
