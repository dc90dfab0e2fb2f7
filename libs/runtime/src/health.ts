/** The reason why something is not well; undefined when it is well. Called on every probe: it must be quick and must not wait. */
export type HealthCheck = () => string | undefined;

/** Where a library registers its checks; service-kit's `Health` fits. */
export interface HealthRegistry {
  addReadiness(name: string, check: HealthCheck): void;
  addLiveness(name: string, check: HealthCheck): void;
}
