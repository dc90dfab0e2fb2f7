declare module 'kafkajs/src/protocol/encoder.js' {
  export default class Encoder {
    static sizeOfVarInt(value: number): number;
    static sizeOfVarLong(value: unknown): number;
    static nextPowerOfTwo(value: number): number;
    static encodeZigZag(value: number): number;
    buf: Buffer;
    offset: number;
    constructor(initialSize?: number);
    get buffer(): Buffer;
    ensureAvailable(length: number): void;
    writeVarInt(value: number): this;
    writeUVarInt(value: number): this;
    writeVarLong(value: unknown): this;
    writeVarIntString(value: string | null): this;
    writeVarIntBytes(value: Buffer | string | null): this;
    writeEncoder(value: Encoder): this;
    writeEncoderArray(value: Encoder[]): this;
  }
}

declare module 'kafkajs/src/protocol/decoder.js' {
  export default class Decoder {
    buffer: Buffer;
    offset: number;
    constructor(buffer: Buffer);
    canReadBytes(length: number): boolean;
    readVarInt(): number;
    readVarIntArray(read: (decoder: Decoder) => unknown): unknown[];
  }
}

declare module 'kafkajs/src/protocol/requests/metadata/index.js' {
  interface MetadataResponse {
    /** Rejects with the first error of a topic or partition. */
    parse: (answer: unknown) => Promise<unknown>;
  }
  interface Metadata {
    /** An empty list of topics stands for all topics of the cluster. */
    protocol: (of: { version: number }) => (options: { topics: string[] }) => { response: MetadataResponse };
  }
  const definition: Metadata;
  export default definition;
}

declare module 'kafkajs/src/network/requestQueue/index.js' {
  /** The requests of one connection that wait for their response, or for their turn (`pending`). */
  export default class RequestQueue {
    pending: unknown[];
    scheduleCheckPendingRequests(): void;
  }
}
