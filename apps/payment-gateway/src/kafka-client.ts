/** Injection token of the one `KafkaClient`. */
export const KAFKA_CLIENT = Symbol('KafkaClient');
