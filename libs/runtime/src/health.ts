/** Returns the reason of the failure; undefined if all is well. Called on every probe, so it must be quick and must not wait. */
export type HealthCheck = () => string | undefined;

/** A registry for a library's checks; service-kit's `Health` implements it. */
export interface HealthRegistry {
  addReadiness(name: string, check: HealthCheck): void;
  addLiveness(name: string, check: HealthCheck): void;
}
