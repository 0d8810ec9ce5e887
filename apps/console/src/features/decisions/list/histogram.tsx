import { withoutTimes, withTimes } from '@gantt/scheduler-core/query'
import { Button, Skeleton, UnstyledButton } from '@mantine/core'
import { formatCount, formatDuration, formatTime, type TimeZoneChoice, titleOfTime, useTimeZone } from '../../../lib/format.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { type Bar, BrushBars } from '../../../ui/chart/brush-bars.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { SmallTable } from '../../../ui/table/small-table.tsx'
import type { COUNTS } from '../documents.ts'
import './histogram.css'
import { type FreshProps, Stale } from '../../../ui/stale.tsx'

type Counts = ResultOf<typeof COUNTS>['decisionCounts']
type Step = Counts['steps'][number]

interface HistogramProps {
  /** The height in pixels. */
  readonly height: number
  /** The counts over time. Undefined until they are loaded. */
  readonly counts: Counts | undefined
  /** True if the bars belong to the previous filter, because those of the present filter are not loaded yet. */
  readonly isOld: boolean
  readonly error: Error | null
  /** When the counts were read, and how they are kept up to date. */
  readonly fresh: FreshProps
  onRetry(): void
  /** The filter of the list of decisions. */
  readonly q: string
  onFilter(q: string): void
}

/** The results over time of the decisions that match a filter. A selected time range replaces the terms about time in the filter. */
export function Histogram({ height, counts, isOld, error, fresh, onRetry, q, onFilter }: HistogramProps) {
  if (counts === undefined)
    return error === null ? (
      <Skeleton height={height} role="status" aria-label="Decisions are being counted" />
    ) : (
      <Problem error={error} onRetry={onRetry} />
    )
  const { steps } = counts
  const take = (from: number, to: number): void => {
    const [first, last] = [steps[from], steps[to]]
    if (first !== undefined && last !== undefined) onFilter(withTimes(q, Date.parse(first.at), Date.parse(last.until)))
  }
  if (steps.length === 0) return null
  return (
    <Stale {...fresh} error={error} isOther={isOld}>
      <section aria-label="Decisions over time" className="histogram" style={{ minHeight: height }}>
        <Chart counts={counts} onTake={take} />
        <div className="histogram-below">
          {kinds.map(({ key, name }) => (
            <span key={key}>
              <i className={`histogram-${key}`} aria-hidden /> {name} {formatCount(sumOf(steps, key))}
            </span>
          ))}
          {counts.isCut ? (
            <span role="status" data-cut>
              The newest {formatCount(counts.decisions)}; older ones match too, and are not counted.
            </span>
          ) : null}
          {withoutTimes(q) === q.trim() ? null : (
            <Button size="compact-sm" variant="subtle" onClick={() => onFilter(withoutTimes(q))}>
              All times
            </Button>
          )}
          <details>
            <summary>As a table</summary>
            <Steps steps={steps} onTake={take} />
          </details>
        </div>
      </section>
    </Stale>
  )
}

/** The parts of a bar from the bottom up. */
const kinds = [
  { key: 'noValidHost', name: 'no valid host' },
  { key: 'partial', name: 'partial' },
  { key: 'placed', name: 'placed' },
] as const

type Kind = (typeof kinds)[number]['key']

const sumOf = (steps: readonly Step[], key: Kind | 'decisions'): number => steps.reduce((sum, step) => sum + step[key], 0)

interface RangeProps {
  /** Called with the indexes of the first and the last selected step. */
  onTake(from: number, to: number): void
}

function Chart({ counts: { steps, decisions, since, until }, onTake }: RangeProps & { readonly counts: Counts }) {
  const zone = useTimeZone()
  const bars = steps.map(
    (step): Bar => ({
      key: step.at,
      parts: kinds.map(({ key }) => ({ className: `histogram-${key}`, count: step[key] })),
    }),
  )
  const [first] = steps
  const length = steps[1] ?? first
  const lengthMs = length === undefined ? 0 : Date.parse(length.until) - Date.parse(length.at)
  return (
    <BrushBars
      label={`${formatCount(decisions)} decisions in ${steps.length} steps of ${formatDuration(lengthMs)}.`}
      bars={bars}
      ends={[formatTime(since, zone), formatTime(until, zone)]}
      describe={(from, to) => lineOf(steps, from, to, zone)}
      onBrush={onTake}
    />
  )
}

/** A line of text about a range of steps: its time, and the count of decisions by result. */
function lineOf(steps: readonly Step[], from: number, to: number, zone: TimeZoneChoice): string {
  const some = steps.slice(from, to + 1)
  const [first, last] = [some[0], some.at(-1)]
  if (first === undefined || last === undefined) return ''
  const ended = kinds.flatMap(({ key, name }) => (sumOf(some, key) === 0 ? [] : [`${formatCount(sumOf(some, key))} ${name}`]))
  const count = sumOf(some, 'decisions')
  return `${formatTime(first.at, zone)} to ${formatTime(last.until, zone)}: ${formatCount(count)} ${count === 1 ? 'decision' : 'decisions'}${ended.length === 0 ? '' : `, ${ended.join(', ')}`}`
}

/** A table of the steps that have decisions. A click on a count lists the counted decisions. */
function Steps({ steps, onTake }: RangeProps & { readonly steps: readonly Step[] }) {
  const zone = useTimeZone()
  const busy = steps.flatMap((step, index) => (step.decisions === 0 ? [] : [{ ...step, place: index }]))
  return (
    <SmallTable
      label="Decisions step by step"
      maxHeight="200px"
      empty="No decisions."
      rows={busy}
      rowKey={({ at }) => at}
      rowAttributes={({ at, until }) => ({ 'data-step': at, 'data-until': until })}
      columns={[
        { head: 'From', cell: ({ at }) => formatTime(at, zone), title: ({ at }) => titleOfTime(at) },
        {
          head: 'Decisions',
          isNumber: true,
          cell: ({ at, decisions, place: index }) => (
            <UnstyledButton
              className="count"
              aria-label={`${formatCount(decisions)} from ${formatTime(at, zone)}, open them`}
              onClick={() => onTake(index, index)}
            >
              {formatCount(decisions)}
            </UnstyledButton>
          ),
        },
        ...kinds.map(({ key, name }) => ({ head: name, isNumber: true, cell: (step: Step) => formatCount(step[key]) })),
      ]}
    />
  )
}
