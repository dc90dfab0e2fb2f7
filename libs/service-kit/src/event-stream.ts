import type { MessageEvent } from '@nestjs/common';
import {
  catchError,
  defer,
  exhaustMap,
  fromEvent,
  interval,
  map,
  merge,
  mergeAll,
  of,
  takeUntil,
  timer,
  type Observable,
} from 'rxjs';

/** A comment shows both ends, and proxies between them, that the connection is alive. */
const HEARTBEAT_MS = 15_000;

/** Reads again and again, one read at a time; a read that failed has the events of `failed`, and the next one comes. */
export const polled = <T>(everyMs: number, read: () => Promise<T[]>, failed: () => T[] = () => []): Observable<T> =>
  timer(0, everyMs).pipe(
    exhaustMap(() =>
      defer(read).pipe(
        catchError(() => of(failed())),
        mergeAll(),
      ),
    ),
  );

/** Server-sent events of a source, with heartbeats, until the service stops: at once where it stops already. */
export function eventStream(source: Observable<MessageEvent>, stopping: AbortSignal): Observable<MessageEvent> {
  const beats = interval(HEARTBEAT_MS).pipe(map((): MessageEvent => ({ comment: 'still here' })));
  const stop = defer(() => (stopping.aborted ? of(stopping) : fromEvent(stopping, 'abort')));
  return merge(source, beats).pipe(takeUntil(stop));
}
