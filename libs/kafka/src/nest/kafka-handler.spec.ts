import { UseFilters, type ExceptionFilter } from '@nestjs/common';
import { KafkaHandler } from './kafka-handler.js';

class Filter implements ExceptionFilter {
  catch(): void {
    // never called
  }
}

class Commands {
  @KafkaHandler(['one', 'two'], { types: ['a'] })
  @UseFilters(Filter)
  handle(text: string): string {
    return text;
  }
}

describe('@KafkaHandler', () => {
  it('registers the method for its topics and types, and keeps what other decorators said', () => {
    const handle = Object.getOwnPropertyDescriptor(Commands.prototype, 'handle')!.value as () => void;
    expect(handle.name).toBe('handle');
    expect(Reflect.getMetadata('microservices:pattern', handle)).toEqual(['one', 'two']);
    expect(Reflect.getMetadata('microservices:pattern_extras', handle)).toEqual({ types: ['a'] });
    expect(Reflect.getMetadata('__exceptionFilters__', handle)).toEqual([Filter]);
  });
});
