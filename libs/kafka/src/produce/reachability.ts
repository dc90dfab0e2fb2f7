export class Reachability {
  private reason: string | undefined = 'has not connected to Kafka yet';
  private failures = 0;

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

  acknowledged(): void {
    this.reason = undefined;
  }

  /** Kafka answered a request that was sent at this number of failures; a later failure still counts. */
  answered(failuresBefore: number): void {
    if (this.failures === failuresBefore) this.reason = undefined;
  }
}
