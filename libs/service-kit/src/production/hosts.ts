/** This machine itself: nobody listens on the way. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export const isLoopback = (host: string): boolean => LOOPBACK.test(host);

/** `host:port`, as KAFKA_BROKERS has it. */
export const hostOfBroker = (broker: string): string => broker.slice(0, broker.lastIndexOf(':'));
