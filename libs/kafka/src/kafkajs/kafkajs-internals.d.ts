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
    writeUVarIntString(value: string): this;
    writeUVarIntArray(values: Encoder[] | null): this;
    writeInt64(value: number): this;
    writeBoolean(value: boolean): this;
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
    readInt16(): number;
    readInt32(): number;
    readBoolean(): boolean;
    readBytes(length: number): Buffer;
    readUVarInt(): number;
    readUVarIntString(): string | null;
    readUVarIntArray<T>(read: (decoder: Decoder) => T): T[] | null;
  }
}

declare module 'kafkajs/src/protocol/requests/metadata/index.js' {
  interface MetadataResponse {
    /** Rejects with the first error of a topic or partition. */
    parse: (answer: unknown) => Promise<unknown>;
    decode: (bytes: Buffer) => Promise<unknown>;
  }
  interface MetadataRequest {
    apiVersion: number;
    encode: () => Promise<unknown>;
  }
  export interface MetadataOptions {
    /** An empty list stands for all topics of the cluster. */
    topics: string[];
    allowAutoTopicCreation?: boolean;
  }
  interface Metadata {
    versions: string[];
    protocol: (of: {
      version: number;
    }) => (options: MetadataOptions) => { request: MetadataRequest; response: MetadataResponse };
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
