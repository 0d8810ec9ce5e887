import { withTerm, withTimes } from '@gantt/scheduler-core/query'
import { Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { formatCount, formatDuration, formatShare, formatTime, type TimeZoneChoice, titleOfTime, useTimeZone } from '../../../lib/format.ts'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import { type Bar, BrushBars } from '../../../ui/chart/brush-bars.tsx'
import { SmallTable } from '../../../ui/table/small-table.tsx'
import type { FollowedRollout } from '../documents.ts'
import type { Versions } from './rank-points.ts'

type Step = FollowedRollout['overTime'][number]

/** The parts of a bar from the bottom up, the most important kind first. */
const kinds = [
  { key: 'newFailures', name: 'newly failing' },
  { key: 'newPlacements', name: 'newly placed' },
  { key: 'elsewhere', name: 'elsewhere' },
  { key: 'agreed', name: 'same outcome' },
] as const

type Kind = (typeof kinds)[number]['key']

const sumOf = (steps: readonly Step[], key: Kind | 'sampled' | 'skipped' | 'notSolved'): number =>
  steps.reduce((sum, step) => sum + step[key], 0)

interface AgreementProps {
  readonly steps: readonly Step[]
  readonly versions: Versions
}

/**
 * A chart of the share of decisions on which the active version and the candidate agree, over time. A selected range links to its
 * decisions.
 */
export function AgreementOverTime({ steps, versions }: AgreementProps) {
  const navigate = useNavigate()
  const sampled = sumOf(steps, 'sampled')
  const open = (from: number, to: number): void => {
    const q = decisionsOf(versions, steps[from], steps[to])
    if (q !== undefined) void navigate({ to: '/decisions', search: { q } })
  }
  return (
    <section aria-label="Agreement of both versions, by time" className="followed" data-agreement={sampled}>
      <Text component="h3" fw={600} size="sm" mt="xs">
        Decisions on which both versions agree, by time (all replicas together)
      </Text>
      {sampled === 0 ? (
        <Text size="sm" c="dimmed" role="status">
          {emptyText(steps)}
        </Text>
      ) : (
        <>
          <Chart steps={steps} sampled={sampled} onTake={open} />
          <div className="followed-below">
            {kinds.map(({ key, name }) => (
              <span key={key} data-kind={key}>
                <i className={`agreement-${key}`} aria-hidden /> {name} {formatCount(sumOf(steps, key))}
              </span>
            ))}
            <details>
              <summary>As a table</summary>
              <Steps steps={steps} versions={versions} />
            </details>
          </div>
        </>
      )}
    </section>
  )
}

/** Why no decision of one version was repeated by the other version. */
function emptyText(steps: readonly Step[]): string {
  const [skipped, notSolved] = [sumOf(steps, 'skipped'), sumOf(steps, 'notSolved')]
  if (skipped + notSolved === 0)
    return 'No decision was repeated by the other version yet: the profile has decided nothing since the rollout began, or the last few seconds are not written yet.'
  const left = [
    ...(skipped === 0 ? [] : [`for ${formatCount(skipped)} the time ran out`]),
    ...(notSolved === 0 ? [] : [`${formatCount(notSolved)} would have needed a solver, which comparisons do not use`]),
  ]
  return `No decision was repeated by the other version: ${left.join('; ')}.`
}

/** A filter that finds the decisions of both versions from the step `first` to the step `last`. */
function decisionsOf({ name, active, candidate }: Versions, first: Step | undefined, last: Step | undefined): string | undefined {
  if (first === undefined || last === undefined) return undefined
  const both = withTerm(withTerm('', 'profile', `${name}@${active}`), 'profile', `${name}@${candidate}`)
  return withTimes(both, Date.parse(first.at), Date.parse(last.until))
}

interface ChartProps {
  readonly steps: readonly Step[]
  readonly sampled: number
  onTake(from: number, to: number): void
}

function Chart({ steps, sampled, onTake }: ChartProps) {
  const zone = useTimeZone()
  const bars = steps.map(
    (step): Bar => ({
      key: step.at,
      parts: kinds.map(({ key }) => ({ className: `agreement-${key}`, count: step.sampled === 0 ? 0 : (100 * step[key]) / step.sampled })),
    }),
  )
  const [first, last] = [steps[0], steps.at(-1)]
  const length = steps[1] ?? first
  const lengthMs = length === undefined ? 0 : Date.parse(length.until) - Date.parse(length.at)
  return (
    <>
      <Hatchings />
      <BrushBars
        label={`${formatCount(sampled)} decisions by both versions in ${steps.length} steps of ${formatDuration(lengthMs)}: the share that goes to the same hosts in each step.`}
        bars={bars}
        ends={[first === undefined ? '' : formatTime(first.at, zone), last === undefined ? '' : formatTime(last.until, zone)]}
        idle="each bar shows all decisions compared in its step; a step without a bar had none"
        describe={(from, to) => lineOf(steps, from, to, zone)}
        onBrush={onTake}
      />
    </>
  )
}

/**
 * Patterns for the parts of bars, so that parts can be distinguished without colours. The patterns are narrow, because the drawing is
 * stretched to its width.
 */
function Hatchings() {
  return (
    <svg width={0} height={0} aria-hidden="true" className="agreement-patterns">
      <defs>
        <pattern id="agreement-elsewhere" patternUnits="userSpaceOnUse" width={1} height={12}>
          <rect width={1} height={12} className="agreement-ground" />
          <rect width={1} height={4} className="agreement-line" />
        </pattern>
        <pattern id="agreement-newPlacements" patternUnits="userSpaceOnUse" width={0.25} height={12}>
          <rect width={0.25} height={12} className="agreement-ground" />
          <rect width={0.1} height={12} className="agreement-line" />
        </pattern>
      </defs>
    </svg>
  )
}

/** A line of text about a range of steps. */
function lineOf(steps: readonly Step[], from: number, to: number, zone: TimeZoneChoice): string {
  const some = steps.slice(from, to + 1)
  const [first, last] = [some[0], some.at(-1)]
  if (first === undefined || last === undefined) return ''
  const range = `${formatTime(first.at, zone)} to ${formatTime(last.until, zone)}`
  const sampled = sumOf(some, 'sampled')
  if (sampled === 0) return `${range}: no decision by both versions`
  const others = kinds.flatMap(({ key, name }) =>
    key === 'agreed' || sumOf(some, key) === 0 ? [] : [`${formatCount(sumOf(some, key))} ${name}`],
  )
  return [`${range}: ${formatShare(sumOf(some, 'agreed') / sampled)} of ${formatCount(sampled)} with the same outcome`, ...others].join(
    ', ',
  )
}

/** A table of the time steps in which both versions decided, or could not both decide, with links to these decisions. */
function Steps({ steps, versions }: AgreementProps) {
  const zone = useTimeZone()
  const busy = steps.filter(({ sampled, skipped, notSolved }) => sampled + skipped + notSolved > 0)
  return (
    <SmallTable
      label="Agreement of both versions, by time step"
      maxHeight="240px"
      rows={busy}
      rowKey={({ at }) => at}
      rowAttributes={({ at }) => ({ 'data-step': at })}
      columns={[
        {
          head: 'From',
          cell: (step) => (
            <AnchorLink size="sm" to="/decisions" search={{ q: decisionsOf(versions, step, step) ?? '' }}>
              {formatTime(step.at, zone)}
            </AnchorLink>
          ),
          title: ({ at }) => titleOfTime(at),
        },
        { head: 'Compared', isNumber: true, cell: ({ sampled }) => formatCount(sampled) },
        { head: 'Agreement', isNumber: true, cell: ({ agreement }) => (agreement === null ? '–' : formatShare(agreement)) },
        ...kinds.map(({ key, name }) => ({ head: name, isNumber: true, cell: (step: Step) => formatCount(step[key]) })),
        { head: 'timed out', isNumber: true, cell: ({ skipped }) => formatCount(skipped) },
        { head: 'solver not asked', isNumber: true, cell: ({ notSolved }) => formatCount(notSolved) },
      ]}
    />
  )
}
