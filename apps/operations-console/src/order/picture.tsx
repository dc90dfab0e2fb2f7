import { useEffect, useMemo, useRef } from 'react';
import { useNow } from '../parts/hooks.js';
import { clock, duration, moment } from '../text/format.js';
import { plain } from '../text/pieces.js';
import { keyOf, LANES, sentenceOf, spanInWords, type Entry } from './entry.js';
import { clipped, layoutOf, type Deadline, type Mark } from './layout.js';

const LANE = 38;
const TOP = 26;

interface PictureProps {
  entries: readonly Entry[];
  deadlines: readonly Deadline[];
  underWay: ReadonlySet<string>;
  selected: string | undefined;
  onSelect: (key: string) => void;
  /** The order is shown as it was then. */
  at: string | undefined;
}

/** The order from left to right. Each mark is a button; arrows go from one to the next. */
export function Picture({ entries, deadlines, underWay, selected, onSelect, at }: PictureProps) {
  const now = useNow();
  // A picture that moved every second could not be read.
  const minute = Math.floor(now / 30_000) * 30_000;
  const latest = entries.reduce((last, entry) => Math.max(last, Date.parse(entry.at)), 0);
  const layout = useMemo(
    () => layoutOf(entries, deadlines, underWay, Math.max(minute, latest)),
    [entries, deadlines, underWay, minute, latest],
  );
  const { lanes, marks, spans, gaps, nowX, width } = layout;
  const height = TOP + lanes.length * LANE + 34;
  const yOf = (lane: Mark['lane']) => TOP + lanes.indexOf(lane) * LANE + LANE / 2;
  const scroller = useRef<HTMLDivElement>(null);
  const pressable = marks.filter(({ entry }) => entry !== undefined);
  const current = pressable.find(({ entry }) => entry && keyOf(entry) === selected) ?? pressable.at(-1);
  const atMs = at === undefined ? undefined : Date.parse(at);

  useEffect(() => {
    const element = scroller.current;
    if (element === null || current === undefined) return;
    const isSeen = current.x > element.scrollLeft && current.x < element.scrollLeft + element.clientWidth - 80;
    if (!isSeen) element.scrollLeft = current.x - element.clientWidth / 2;
  }, [current?.key, lanes.length]);

  const go = (step: number, from: Mark) => {
    const index = pressable.indexOf(from);
    const to = pressable[Math.min(Math.max(index + step, 0), pressable.length - 1)];
    if (to?.entry === undefined) return;
    onSelect(keyOf(to.entry));
    scroller.current?.querySelector<SVGElement>(`[data-mark="${CSS.escape(to.key)}"]`)?.focus();
  };

  return (
    <div className="picture">
      <ol className="lanes" aria-hidden="true">
        {lanes.map((lane) => (
          <li key={lane}>{LANES[lane]}</li>
        ))}
      </ol>
      <div className="scroller" ref={scroller} tabIndex={0} role="group" aria-label="The order from left to right">
        <svg width={width} height={height} role="group" aria-label={`${entries.length} records`}>
          {lanes.map((lane, index) => (
            <line
              key={lane}
              className="lane"
              x1={0}
              x2={width}
              y1={yOf(lane)}
              y2={yOf(lane)}
              data-odd={index % 2 === 1}
            />
          ))}
          {spans.map((span) => (
            <g key={`${span.commandId} ${span.fromMs}`} className="span" data-tone={span.tone}>
              <rect x={span.x} y={TOP - 2} width={Math.max(2, span.endX - span.x)} height={lanes.length * LANE + 4} />
              <text x={span.x + 4} y={TOP + lanes.length * LANE + 12}>
                {spanInWords(span, now)}
              </text>
            </g>
          ))}
          {gaps.map((gap) => (
            <text key={gap.x} className="gap" x={gap.x} y={14}>
              {`+${duration(gap.ms)}`}
            </text>
          ))}
          <g className="now" aria-hidden="true">
            <line x1={nowX} x2={nowX} y1={20} y2={height - 14} />
            <text x={nowX} y={height - 3}>
              now
            </text>
          </g>
          {marks.map((mark) => {
            const { entry } = mark;
            const isSelected = entry !== undefined && keyOf(entry) === selected;
            const isLater = atMs !== undefined && entry !== undefined && Date.parse(entry.at) > atMs;
            const shape = <Shape mark={mark} y={yOf(mark.lane)} />;
            const shared = {
              className: 'mark',
              'data-tone': mark.tone,
              'data-later': isLater,
              'data-ahead': mark.isAhead,
            };
            if (entry === undefined)
              return (
                <g key={mark.key} {...shared}>
                  {shape}
                </g>
              );
            return (
              <g
                key={mark.key}
                {...shared}
                data-mark={mark.key}
                data-selected={isSelected}
                role="button"
                tabIndex={mark === current ? 0 : -1}
                aria-pressed={isSelected}
                aria-label={`${plain(clipped(mark.label))}: ${plain(sentenceOf(entry))}, ${clock(entry.at)}`}
                onClick={() => onSelect(keyOf(entry))}
                onKeyDown={(event) => {
                  const { key } = event;
                  if (key === 'ArrowRight') go(1, mark);
                  else if (key === 'ArrowLeft') go(-1, mark);
                  else if (key === 'Enter' || key === ' ') onSelect(keyOf(entry));
                  else return;
                  event.preventDefault();
                }}
              >
                <title>{`${plain(sentenceOf(entry))}\n${moment(entry.at, now)}`}</title>
                {shape}
              </g>
            );
          })}
        </svg>
      </div>
    </div>
  );
}

/** A call is a bar until its answer, a doubt a diamond, what is to come an empty ring. */
function Shape({ mark, y }: { mark: Mark; y: number }) {
  const { x, endX, label, tone, isAhead } = mark;
  const barEnd = endX === undefined ? x : Math.max(endX, x + 8);
  const isBar = endX !== undefined;
  return (
    <>
      <rect className="reach" x={x - 12} y={y - 16} width={24 + (barEnd - x)} height={32} rx={4} />
      {isBar && <rect className="shape" x={x} y={y - 6} width={barEnd - x} height={12} rx={3} />}
      {!isBar && tone === 'doubt' && <path className="shape" d={`M${x} ${y - 8}l8 8-8 8-8-8z`} />}
      {!isBar && tone !== 'doubt' && <circle className="shape" cx={x} cy={y} r={isAhead ? 5 : 6} />}
      <text x={isBar ? x + 4 : x + 12} y={isBar ? y - 9 : y + 4}>
        {plain(clipped(label))}
      </text>
    </>
  );
}
