import { useElementSize } from '@mantine/hooks'
import { getRouteApi } from '@tanstack/react-router'
import { type KeyboardEvent, type MouseEvent, useId, useState } from 'react'
import { formatCount, formatTime, type TimeZoneChoice, titleOfTime, useTimeZone } from '../../../lib/format.ts'
import { columnAfterKey } from '../../../ui/chart/strip-layout.ts'
import { glyphs, toneOf } from '../host-state.tsx'
import { type GroupName, type Happening, keyOf, type Log, momentOf } from './timeline.ts'
import { type Axis, axisOf, gatherMarks, gatherSpans, type Lane, lanesOf, nearestStep, type Span, wordAt } from './timeline-lanes.ts'
import './host-lanes.css'

const route = getRouteApi('/hosts/$host')

interface HostLanesProps {
  /** The events of the timeline, newest first. */
  readonly rows: readonly Happening[]
  readonly shown: readonly GroupName[]
  /** The host's state at the shown moment. */
  readonly state: string
  readonly status: string
  /** The time at which the host was forgotten. Undefined if the host exists. */
  readonly goneMs: number | undefined
  /** Before this time, only claims and placement attempts are known. Undefined if all events are known. */
  readonly sinceMs: number | undefined
  readonly log: Log
}

/** Neighbouring spans that are narrower than this, in pixels, are merged, because their glyphs would not fit. */
const MIN_GLYPH_SPAN = 10
/**
 * Marks of the same kind that are closer than this, in pixels, are merged into one mark. The distance leaves space for a count with two
 * digits.
 */
const MIN_MARK_DISTANCE = 22
/** The pointer selects a step that is at most this many pixels away. */
const SNAP_PIXELS = 8

/**
 * The states and events of the host as lanes on one axis of time. Arrows move a cursor from step to step, a click or Enter opens the
 * console at the time of the step, and a line of text describes the step. The list below has the same data.
 */
export function HostLanes({ rows, shown, state, status, goneMs, sinceMs, log }: HostLanesProps) {
  const id = useId()
  const zone = useTimeZone()
  const navigate = route.useNavigate()
  const { ref, width } = useElementSize<HTMLDivElement>()
  const [cursor, setCursor] = useState<string>()
  const [hovered, setHovered] = useState<number>()
  const steps = rows.toReversed()
  const axis = axisOf(steps)
  if (axis === undefined) return null
  const lanes = lanesOf(steps, axis, { shown, state, status, goneMs, sinceMs })
  const perPixel = width === 0 ? 0 : (axis.to - axis.from) / width

  const pointed = ({ currentTarget, clientX }: MouseEvent): number => {
    const box = currentTarget.getBoundingClientRect()
    const ms = axis.from + ((axis.to - axis.from) * (clientX - box.left)) / box.width
    return Math.round(Math.max(axis.from, Math.min(axis.last, ms)))
  }
  const stepAt = (ms: number): number | undefined => nearestStep(steps, ms, SNAP_PIXELS * perPixel)
  const isPointed = hovered !== undefined
  const index = isPointed ? stepAt(hovered) : placeOfKey(steps, cursor)
  const step = index === undefined ? undefined : steps[index]
  const shownAt = step === undefined ? (isPointed ? timeOf(Math.min(axis.last, hovered)) : undefined) : step.at

  const travel = (to: Pick<Happening, 'revision' | 'at'>): void => {
    const at = momentOf(to, log)
    if (at !== undefined) void navigate({ search: (before) => ({ ...before, at }), resetScroll: false })
  }
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const now = placeOfKey(steps, cursor)
    if (event.key === 'Enter' && now !== undefined) travel(steps[now] as Happening)
    else if (event.key === 'Escape' && cursor !== undefined) setCursor(undefined)
    else {
      const next = steps[columnAfterKey(event.key, now ?? steps.length, steps.length, []) ?? -1]
      if (next === undefined) return
      setCursor(keyOf(next))
    }
    setHovered(undefined)
    event.preventDefault()
  }
  return (
    <div className="host-lanes">
      <ul className="host-lane-names" aria-hidden>
        {lanes.map((lane) => (
          <li key={lane.group} style={{ height: heightOf(lane) }}>
            {lane.label}
          </li>
        ))}
      </ul>
      <div
        ref={ref}
        className="host-lane-axis"
        role="application"
        aria-label="The timeline as lanes. Arrows go from step to step, Enter shows the console as it was then."
        aria-describedby={id}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it has a cursor of its own
        tabIndex={0}
        onKeyDown={press}
        onPointerMove={(event) => setHovered(pointed(event))}
        onPointerLeave={() => setHovered(undefined)}
        onClick={(event) => {
          const ms = pointed(event)
          const near = stepAt(ms)
          travel((near === undefined ? undefined : steps[near]) ?? { revision: null, at: timeOf(ms) })
        }}
      >
        {lanes.map((lane) => (
          <div key={lane.group} className="host-lane" data-lane={lane.group} style={{ height: heightOf(lane) }} aria-hidden>
            {gatherSpans(lane.spans, MIN_GLYPH_SPAN * perPixel).map((span) => (
              <SpanBox key={span.from} span={span} axis={axis} zone={zone} />
            ))}
            {gatherMarks(lane, MIN_MARK_DISTANCE * perPixel).map(({ glyph, at, count, row }) => (
              <i
                key={`${glyph} ${at} ${row}`}
                className="host-lane-mark"
                data-mark={glyph}
                data-count={count}
                style={{ left: `${shareOf(axis, at)}%`, top: row * MARK }}
              >
                {glyph}
                {count === 1 ? null : formatCount(count)}
              </i>
            ))}
          </div>
        ))}
        {shownAt === undefined ? null : <div className="host-lane-cursor" style={{ left: `${shareOf(axis, Date.parse(shownAt))}%` }} />}
      </div>
      <div className="host-lane-ends">
        <time dateTime={timeOf(axis.from)} title={titleOfTime(timeOf(axis.from))}>
          {formatTime(timeOf(axis.from), zone)}
        </time>
        <time dateTime={timeOf(axis.last)} title={titleOfTime(timeOf(axis.last))}>
          since {formatTime(timeOf(axis.last), zone)}
        </time>
      </div>
      <div className="host-lane-line" id={id} aria-live="polite" data-lane-line={index === undefined ? '' : index + 1}>
        {shownAt === undefined ? (
          IDLE
        ) : (
          <>
            {formatTime(shownAt, zone)}
            {step === undefined ? (
              `: ${wordsAt(lanes, Date.parse(shownAt))}`
            ) : (
              <>
                {steps.length > 1 ? ` (step ${formatCount((index ?? 0) + 1)} of ${formatCount(steps.length)})` : ''}: {step.text}
              </>
            )}
            {log !== undefined && momentOf(step ?? { revision: null, at: shownAt }, log) === undefined
              ? ' The log no longer contains this time.'
              : ''}
          </>
        )}
      </div>
    </div>
  )
}

const IDLE =
  'Reports: * the first, o another inventory. Claims: + made, = confirmed, − ended. Click to show the console at that time; arrow keys move between steps.'

/** Sizes in pixels. */
const MARK = 16
const SPAN = 22

const heightOf = ({ spans, steps }: Lane): number =>
  spans.length > 0 ? SPAN : MARK * Math.max(1, new Set(steps.map(({ glyph }) => glyph)).size)

const timeOf = (ms: number): string => new Date(ms).toISOString()

/** The position of a time on the axis, in per cent from the left. */
const shareOf = ({ from, to }: Axis, ms: number): number => (100 * (ms - from)) / (to - from)

function placeOfKey(steps: readonly Happening[], key: string | undefined): number | undefined {
  const index = key === undefined ? -1 : steps.findIndex((step) => keyOf(step) === key)
  return index < 0 ? undefined : index
}

const wordsAt = (lanes: readonly Lane[], ms: number): string => {
  const words = lanes
    .filter(({ spans }) => spans.length > 0)
    .map(({ label, spans }) => `${label.toLowerCase()} ${nameOf(wordAt(spans, ms))}`)
  return words.length === 0 ? 'no events.' : `${words.join(', ')}; no events.`
}

const nameOf = (word: string | undefined): string => word?.toLowerCase() ?? 'not known'

/** The box of a span, with the name of the state if it fits. The border distinguishes the same states as the colour. */
function SpanBox({
  span: { word, from, to, times },
  axis,
  zone,
}: {
  readonly span: Span
  readonly axis: Axis
  readonly zone: TimeZoneChoice
}) {
  const tone = times > 0 ? 'many' : word === undefined ? 'unknown' : toneOf(word)
  const name = times > 0 ? `${formatCount(times)} changes too short to draw` : nameOf(word)
  return (
    <span
      className="host-lane-span"
      data-tone={tone}
      data-word={times > 0 ? undefined : name}
      title={`${name} from ${formatTime(timeOf(from), zone)}`}
      style={{ left: `${shareOf(axis, from)}%`, width: `${shareOf(axis, to) - shareOf(axis, from)}%` }}
    >
      <span>
        {tone === 'many' || tone === 'unknown' ? '' : `${glyphs[tone]} `}
        {name}
      </span>
    </span>
  )
}
