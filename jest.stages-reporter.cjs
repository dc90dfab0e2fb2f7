/** End-to-end specs of this run that have not ended. */
const left = new Set();

/**
 * Ends the stages after the last end-to-end spec, as no other may ask for one. Their services ask Kafka for records several times a second, which
 * took a third of a processor from the units that come after.
 */
module.exports = class StagesReporter {
  /** The sequencer is the one who is told of all specs. */
  static expect(tests) {
    for (const { path } of tests) if (path.includes('.e2e.spec.')) left.add(path);
  }

  onTestFileResult({ path }) {
    if (!left.delete(path) || left.size > 0) return;
    // The global tear-down waits for it, and tells of a failure.
    globalThis.stagesOfTests?.close().catch(() => undefined);
  }
};
