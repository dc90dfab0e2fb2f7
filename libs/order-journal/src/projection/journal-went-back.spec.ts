import { LogIdentity, LogUnverifiedError } from './log-identity.js';
import { intent, journalOf, projection, recordsOf, redirect, repeated, typesOf } from '../../test/projector-world.js';

/** Waits for a batch; its assignment ends as soon as the partition is stopped. */
async function stoppedBy(work: (signal: AbortSignal) => Promise<unknown>, stopped: unknown[]): Promise<void> {
  const end = new AbortController();
  const working = work(end.signal).catch((error: unknown) => error);
  while (stopped.length === 0) await new Promise((resolve) => setImmediate(resolve));
  end.abort(new Error('ended'));
  expect(await working).toBeInstanceOf(Error);
}

it('stops where records were deleted before they were projected: it does not begin with what is kept', async () => {
  const { startOffset, stopped, published } = projection();
  await expect(startOffset(3n, 5n)).rejects.toThrow('the records from 3 on were deleted before they were projected');
  expect([stopped, published]).toEqual([[expect.stringContaining('begins at 5')], []]);
});

it('takes a marker at the end for good though nothing is kept', async () => {
  const { index, startOffset, stopped } = projection({ journal: journalOf([], undefined, 8n) });
  index.marker = 7n;
  expect([await startOffset(8n, 8n), stopped]).toEqual([8n, [undefined]]);
});

it('continues where the journal was short for a moment, after a clean election', async () => {
  const { index, startOffset, stopped } = projection({ journal: journalOf([], undefined, 7n) });
  index.marker = 7n;
  await expect(startOffset(8n, 0n)).rejects.toThrow('lost or replaced');
  index.marker = 6n;
  expect([await startOffset(7n, 0n), stopped.at(-1)]).toEqual([7n, undefined]);
});

it('stops where records come that lie before its assignment’s beginning, and projects none of them', async () => {
  const { index, assign, published, stopped } = projection();
  index.marker = 4n;
  const project = async (signal: AbortSignal) => {
    const projected = assign(signal);
    await projected.startOffset(5n, 0n);
    stopped.length = 0;
    await projected.project(recordsOf(0n, intent, redirect));
  };
  await stoppedBy(project, stopped);
  expect([index.marker, published, stopped]).toEqual([4n, [], [expect.stringContaining('now begins at 0')]]);
});

it('stops where a batch begins above what was projected and the records before it were deleted', async () => {
  const journal = { ...journalOf([]), firstKept: () => Promise.resolve(6n) };
  const { index, assign, published, stopped } = projection({ journal });
  index.marker = 1n;
  const project = async (signal: AbortSignal) => {
    const projected = assign(signal);
    await projected.startOffset(2n, 0n);
    stopped.length = 0;
    await projected.project(recordsOf(6n, intent, redirect));
  };
  await stoppedBy(project, stopped);
  expect([index.marker, typesOf(published)]).toEqual([1n, []]);
  expect(stopped[0]).toContain('begins at 6: the records from 2 on were deleted');
});

it('stops where the journal ends before what was published, though the index is lost too', async () => {
  const { startOffset, stopped } = projection({ journal: journalOf([], undefined, 2n) });
  await expect(startOffset(5n, 0n)).rejects.toThrow('which ends at 2: the journal was lost or replaced');
  expect(stopped).toHaveLength(1);
});

it('stops where the last projected record is redelivered as another one, and projects none of it', async () => {
  const { index, assign, published, stopped } = projection({ journal: journalOf([intent, redirect]) });
  const project = async (signal: AbortSignal) => {
    const projected = assign(signal);
    await projected.startOffset(0n, 0n);
    await projected.restore();
    await projected.project(recordsOf(0n, intent, redirect));
    stopped.length = 0;
    await projected.project(recordsOf(1n, repeated, repeated));
  };
  await stoppedBy(project, stopped);
  expect([index.marker, typesOf(published)]).toEqual([1n, ['authorize.redirect_required']]);
  expect(stopped[0]).toContain('the record at offset 1');
});

it('projects unchanged redelivered records again', async () => {
  const { index, startOffset, project, stopped } = projection({ journal: journalOf([intent, redirect]) });
  await startOffset(0n, 0n);
  await project(recordsOf(0n, intent, redirect));
  await project(recordsOf(0n, intent, redirect, repeated));
  expect([index.marker, stopped]).toEqual([2n, [undefined]]);
});

describe('the tail of the process', () => {
  it('holds the projector while it compares the log', async () => {
    const { index, projector, startOffset, project, published } = projection({ journal: journalOf([intent]) });
    await startOffset(0n, 0n);
    projector.setUnverified(3, true);
    const projecting = project(recordsOf(0n, intent, redirect));
    await new Promise((resolve) => setImmediate(resolve));
    expect([index.marker, published]).toEqual([-1n, []]);
    projector.setUnverified(3, false);
    await projecting;
    expect([index.marker, typesOf(published)]).toEqual([1n, ['authorize.redirect_required']]);
  });

  it('holds a batch whose events are published while it compares, and publishes them once', async () => {
    const { index, projector, startOffset, project, events, published } = projection({ journal: journalOf([intent]) });
    await startOffset(0n, 0n);
    events.acknowledged = () => projector.setUnverified(3, true);
    const projecting = project(recordsOf(0n, intent, redirect));
    while (published.length === 0) await new Promise((resolve) => setImmediate(resolve));
    projector.setUnverified(3, false);
    await projecting;
    expect([index.marker, typesOf(published)]).toEqual([1n, ['authorize.redirect_required']]);
  });

  it('lets go of such a batch at the end of its assignment', async () => {
    const { index, projector, assign, events, published } = projection({ journal: journalOf([intent]) });
    const end = new AbortController();
    const projected = assign(end.signal);
    await projected.startOffset(0n, 0n);
    events.acknowledged = () => projector.setUnverified(3, true);
    const projecting = projected.project(recordsOf(0n, intent, redirect));
    while (published.length === 0) await new Promise((resolve) => setImmediate(resolve));
    end.abort(new Error('ended'));
    await expect(projecting).rejects.toThrow('ended');
    expect(index.marker).toBe(-1n);
  });

  it('stops it where the log is another one: nothing is published, the index stays, and no rebuild begins', async () => {
    const { index, projector, assign, rebuilt, published, stopped } = projection({ journal: journalOf([intent]) });
    index.marker = 4n;
    const project = async (signal: AbortSignal) => {
      const projected = assign(signal);
      await projected.startOffset(5n, 0n);
      stopped.length = 0;
      projector.setUnverified(3, true);
      const projecting = projected.project(recordsOf(5n, intent, redirect));
      projector.stop(3, 'it is another log');
      await projecting;
    };
    await stoppedBy(project, stopped);
    expect([index.marker, published, stopped[0]]).toEqual([4n, [], 'it is another log']);
    index.lose();
    await projector.poll();
    await expect(assign().startOffset(5n, 0n)).rejects.toThrow('it is another log');
    expect([rebuilt, index.marker]).toEqual([[], undefined]);
  });

  it('is not waited for where the log has changed, though it compares once more', async () => {
    const trust = new LogIdentity();
    trust.changed(3, 'it is another log');
    trust.setUnverified(3, true);
    expect(await Promise.race([aTurnLater(), trust.whenVerified(3, never).catch(String)])).toContain('another log');
  });

  it('is waited for as long as it compares, also where it begins again at once', async () => {
    const trust = new LogIdentity();
    trust.setUnverified(3, true);
    let isSettled = false;
    const settled = trust.whenVerified(3, never).then(() => (isSettled = true));
    trust.setUnverified(3, false);
    trust.setUnverified(3, true);
    await aTurnLater();
    expect(isSettled).toBe(false);
    trust.setUnverified(3, false);
    await settled;
  });

  it('keeps no other partition of this member from its place: the question where to begin is asked again', async () => {
    const { projector, assign } = projection({ journal: journalOf([intent]) });
    projector.setUnverified(3, true);
    await expect(assign().startOffset(0n, 0n)).rejects.toThrow(LogUnverifiedError);
    projector.setUnverified(3, false);
    await expect(assign().startOffset(0n, 0n)).resolves.toBe(0n);
  });
});

const never = new AbortController().signal;
const aTurnLater = () => new Promise<void>((resolve) => setImmediate(resolve));
