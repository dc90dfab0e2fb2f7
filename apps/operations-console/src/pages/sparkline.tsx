import type { Schema } from '../api/client.js';
import { spaced } from '../text/format.js';

const [WIDTH, HEIGHT] = [216, 36];
const TONES: Readonly<Record<string, string>> = { refused: 'wait', in_doubt: 'doubt', not_executed: 'grave' };

/** The answers of the last hour on a rail: a bar for each step, a colour for each kind of result; the words below say the same. */
export function Sparkline({ of: calls }: { of: Schema['Calls']['rails'][number] | undefined }) {
  if (calls === undefined) return null;
  const results = calls.results.toSorted((one, other) => other.total - one.total);
  const says = results.map(({ result, total }) => `${total.toLocaleString('en')} ${spaced(result)}`).join(', ');
  const steps = results[0]?.numbers.length ?? 1;
  const sums = Array.from({ length: steps }, (_, step) =>
    results.reduce((sum, { numbers }) => sum + numbers[step]!, 0),
  );
  const most = Math.max(1, ...sums);
  const bars = sums.flatMap((_, step) => {
    let top = HEIGHT;
    return results.map(({ result, numbers }) => {
      const height = (numbers[step]! / most) * HEIGHT;
      top -= height;
      const x = (step * WIDTH) / steps;
      return <rect key={`${step} ${result}`} data-tone={TONES[result]} x={x} y={top} width={WIDTH / steps - 2} height={height} />; // prettier-ignore
    });
  });
  return (
    <figure className="sparkline">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Answers of the last hour on ${calls.rail}: ${says || 'none'}`}>
        {bars}
      </svg>
      <figcaption>{says === '' ? 'no answers in the last hour' : `last hour: ${says}`}</figcaption>
    </figure>
  ); // prettier-ignore
}
