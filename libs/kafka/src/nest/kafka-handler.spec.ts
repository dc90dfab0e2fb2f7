import { UseFilters, type ExceptionFilter } from '@nestjs/common';
import { HandlerCall, KafkaHandler } from './kafka-handler.js';

class Filter implements ExceptionFilter {
  catch(): void {
    // never called
  }
}

class Commands {
  constructor(private readonly answer = 'handled') {}

  @KafkaHandler(['one', 'two'], { types: ['a'] })
  @UseFilters(Filter)
  handle(text: string): string {
    if (text === 'fail') throw new RangeError('failed');
    return `${this.answer} ${text}`;
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

  it('calls the method as its own, and notes what it threw', async () => {
    const commands = new Commands();
    await expect(commands.handle('it')).resolves.toBe('handled it');
    const call = new (class extends HandlerCall {})();
    const handle = commands.handle.bind(commands) as (...args: unknown[]) => string;
    await expect(handle('fail', call)).rejects.toThrow(RangeError);
    expect(call.thrown).toBeInstanceOf(RangeError);
  });
});
