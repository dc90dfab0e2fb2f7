/** Matches this machine, whose traffic nobody can intercept. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export const isLoopback = (host: string): boolean => LOOPBACK.test(host);

/** @param broker `host:port`, as in KAFKA_BROKERS */
export const hostOfBroker = (broker: string): string => broker.slice(0, broker.lastIndexOf(':'));
