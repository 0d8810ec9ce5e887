import { type CSSProperties, type KeyboardEvent, type MouseEvent, type ReactNode, useId, useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { useFrame } from '../use-frame.ts'
import './brush-bars.css'

/** One bar: its parts, from the bottom up. */
export interface Bar {
  readonly key: string
  readonly parts: readonly { readonly className: string; readonly count: number }[]
}

interface BrushBarsProps {
  /** The description for screen readers. */
  readonly label: string
  readonly bars: readonly Bar[]
  /** The texts below the first and the last bar. */
  readonly ends: readonly [first: string, last: string]
  /** The text that is shown while no bar is pointed at. The default is the count of the highest bar. */
  readonly idle?: string
  /** One line about a range of bars, both ends included. */
  describe(from: number, to: number): string
  /** Called when a range of bars is selected, both ends included. */
  onBrush(from: number, to: number): void
  /** Further drawings below the bars. They have the same axis, cursor and range. */
  readonly children?: ReactNode
}

/** The indexes of the first and last bar of a range, in either order. */
type Range = readonly [begin: number, end: number]

/**
 * A bar chart in which a range of bars can be selected. A click selects one bar, and a drag several. Arrow keys move a cursor, and with
 * Shift they extend the range. Enter selects the range, and Escape clears it. A line of text describes the range. The caller must also
 * offer the data as a table.
 */
export function BrushBars({ label, bars, ends, idle, describe, onBrush, children }: BrushBarsProps) {
  const id = useId()
  const [range, setRange] = useState<Range | undefined>()
  const [hovered, setHovered] = useState<number | undefined>()
  const highest = Math.max(0, ...bars.map(heightOf))
  // Bars of height 0 are drawn on a scale as well.
  const most = Math.max(1, highest)
  const indexOf = (event: MouseEvent): number => {
    const box = event.currentTarget.getBoundingClientRect()
    return within(Math.floor(((event.clientX - box.left) / box.width) * bars.length), bars.length)
  }
  // The frame has the height of the drawing, so only its horizontal position is needed.
  const pointOf = (event: MouseEvent) => ({ x: event.clientX, y: 0 })
  const take = ([begin, end]: Range): void => {
    setRange(undefined)
    onBrush(Math.min(begin, end), Math.max(begin, end))
  }
  const [pressedAt, setPressedAt] = useState(0)
  const { frame, handlers, endsFrame, cancel } = useFrame<HTMLDivElement>(pointOf, () => undefined)
  const drawn: Range | undefined = frame === undefined || hovered === undefined ? undefined : [pressedAt, hovered]
  const shown = drawn ?? range
  const shownRange = shown ?? (hovered === undefined ? undefined : ([hovered, hovered] as const))

  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || bars.length === 0) return
    if (event.key === 'Enter' && range !== undefined) take(range)
    else if (event.key === 'Escape' && (frame !== undefined || range !== undefined)) {
      cancel()
      setRange(undefined)
    } else {
      const next = rangeAfterKey(event.key, event.shiftKey, range, bars.length)
      if (next === undefined) return
      setHovered(undefined)
      setRange(next)
    }
    event.preventDefault()
  }
  return (
    <div className="g-brush">
      <div
        role="application"
        aria-label={`${label} Arrows move, with Shift they widen, Enter takes the range.`}
        aria-describedby={id}
        className="g-brush-bars"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it has a cursor of its own
        tabIndex={0}
        onKeyDown={press}
        {...handlers}
        onPointerDown={(event) => {
          setPressedAt(indexOf(event))
          handlers.onPointerDown(event)
        }}
        onPointerMove={(event) => {
          setHovered(indexOf(event))
          handlers.onPointerMove(event)
        }}
        onPointerUp={(event) => {
          const isFrame = frame !== undefined
          handlers.onPointerUp(event)
          if (isFrame) take([pressedAt, indexOf(event)])
        }}
        onPointerLeave={() => setHovered(undefined)}
        onClick={(event) => {
          if (endsFrame()) return
          const index = indexOf(event)
          take([index, index])
        }}
      >
        <svg viewBox={`0 0 ${bars.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {bars.map((bar, index) => (
            <BarShape key={bar.key} bar={bar} index={index} most={most} />
          ))}
        </svg>
        {children}
        {shown === undefined ? null : <div className="g-brush-range" style={boxOf(shown, bars.length)} />}
        {shown !== undefined || hovered === undefined ? null : (
          <div className="g-brush-cursor" style={boxOf([hovered, hovered], bars.length)} />
        )}
      </div>
      <div className="g-brush-axis">
        <span>{ends[0]}</span>
        <span id={id} aria-live="polite" data-brush-line>
          {shownRange === undefined
            ? (idle ?? `at most ${formatCount(highest)} in one bar`)
            : describe(Math.min(...shownRange), Math.max(...shownRange))}
        </span>
        <span>{ends[1]}</span>
      </div>
    </div>
  )
}

/** The height of the drawing in its own units. The drawing is stretched to the available space. */
const HEIGHT = 100
/** Every bar with a value has at least this height, so that it is visible. */
const MIN_BAR_HEIGHT = 3

function BarShape({ bar: { parts }, index, most }: { readonly bar: Bar; readonly index: number; readonly most: number }) {
  let y = HEIGHT
  return parts.map(({ className, count }) => {
    if (count === 0) return null
    const height = Math.max(MIN_BAR_HEIGHT, (HEIGHT * count) / most)
    y -= height
    return <rect key={className} className={className} x={index + 0.06} y={y} width={0.88} height={height} />
  })
}

const heightOf = ({ parts }: Bar): number => parts.reduce((sum, { count }) => sum + count, 0)

const within = (index: number, count: number): number => Math.max(0, Math.min(count - 1, index))

/** The new range after a key press. Undefined if the key does not change the range. */
function rangeAfterKey(key: string, isWider: boolean, range: Range | undefined, count: number): Range | undefined {
  const end = indexAfterKey(key, range?.[1] ?? count, count)
  if (end === undefined) return undefined
  return isWider && range !== undefined ? [range[0], end] : [end, end]
}

function indexAfterKey(key: string, index: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowLeft':
      return within(index - 1, count)
    case 'ArrowRight':
      return within(index + 1, count)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}

function boxOf([begin, end]: Range, count: number): CSSProperties {
  const from = Math.min(begin, end)
  return { left: `${(100 * from) / count}%`, width: `${(100 * (Math.abs(end - begin) + 1)) / count}%` }
}
