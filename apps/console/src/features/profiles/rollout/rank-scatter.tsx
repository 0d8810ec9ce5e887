import { Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useId, useState } from 'react'
import { formatCount } from '../../../lib/format.ts'
import type { FollowedRollout } from '../documents.ts'
import { otherVersion, placeOfRank, type RankPoint, rankPoints, rankTicks, topRank, type Versions } from './rank-points.ts'

type Disagreement = FollowedRollout['disagreements'][number]
type Point = RankPoint<Disagreement>

interface RankScatterProps {
  readonly disagreements: readonly Disagreement[]
  readonly versions: Versions
}

const WIDTH = 420
const HEIGHT = 220
/** The ends of the axes. Hosts without a rank are drawn beyond the end of the axis. */
const LEFT = 60
const RIGHT = WIDTH - 56
const BOTTOM = HEIGHT - 42
const TOP = 40
const LABEL_GAP = 32

/**
 * For decisions with different hosts, draws the rank that each version gives to the host of the other version. A table has the same data.
 */
export function RankScatter({ disagreements, versions }: RankScatterProps) {
  const id = useId()
  const navigate = useNavigate()
  const [at, setAt] = useState<number | undefined>()
  const points = rankPoints(disagreements)
  const others = disagreements.filter(({ kind }) => kind !== 'ELSEWHERE').length
  const shownPoint = at === undefined ? undefined : points[at]
  const open = (point: Point | undefined): void => {
    const [decision] = point?.of.map((one) => one.decision) ?? []
    if (decision !== undefined)
      void navigate({ to: '/decisions/$id', params: { id: decision.id }, search: { by: otherVersion(versions, decision.profile?.number) } })
  }
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || points.length === 0) return
    const next = indexAfter(event.key, at, points.length)
    if (event.key === 'Enter' && shownPoint !== undefined) open(shownPoint)
    else if (next !== undefined) setAt(next)
    else return
    event.preventDefault()
  }
  if (points.length === 0) return null
  return (
    <section aria-label="Ranks of the choices" className="followed" data-points={points.length}>
      <Text component="h3" fw={600} size="sm" mt="xs">
        How each version ranks the host that the other version chose
      </Text>
      <div
        role="application"
        aria-label={`${formatCount(points.length)} points for decisions that go elsewhere, by two ranks. Arrows move from one to the next, Enter opens its newest decision.`}
        aria-describedby={id}
        className="scatter"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it has a cursor of its own
        tabIndex={0}
        onKeyDown={press}
        onPointerLeave={() => setAt(undefined)}
      >
        <Plot points={points} versions={versions} at={at} onPoint={setAt} onOpen={open} />
      </div>
      <Text size="xs" c="dimmed" id={id} aria-live="polite" data-scatter-line component="div">
        {shownPoint === undefined ? idleText(others) : lineOf(shownPoint, versions)}
      </Text>
    </section>
  )
}

interface PlotProps {
  readonly points: readonly Point[]
  readonly versions: Versions
  /** The index of the point that is described. */
  readonly at: number | undefined
  onPoint(at: number): void
  onOpen(point: Point): void
}

function Plot({ points, versions: { active, candidate }, at, onPoint, onOpen }: PlotProps) {
  const top = topRank(points)
  const x = (rank: number | null): number => (rank === null ? RIGHT + LABEL_GAP : LEFT + (RIGHT - LEFT) * placeOfRank(rank, top))
  const y = (rank: number | null): number => (rank === null ? TOP - LABEL_GAP : BOTTOM - (BOTTOM - TOP) * placeOfRank(rank, top))
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path className="scatter-axis" d={`M${LEFT} ${TOP}V${BOTTOM}H${RIGHT}M${LEFT} ${BOTTOM}L${RIGHT} ${TOP}`} />
      {rankTicks(top).map((rank) => (
        <g key={rank}>
          <text x={x(rank)} y={BOTTOM + 16} textAnchor="middle">
            {formatCount(rank)}
          </text>
          <text x={LEFT - 8} y={y(rank) + 4} textAnchor="end">
            {formatCount(rank)}
          </text>
        </g>
      ))}
      {points.some(({ old }) => old === null) ? (
        <text x={x(null) + 4} y={BOTTOM + 16} textAnchor="middle">
          none
        </text>
      ) : null}
      {points.some(({ new: next }) => next === null) ? (
        <text x={LEFT - 8} y={y(null) + 4} textAnchor="end">
          none
        </text>
      ) : null}
      <text x={(LEFT + RIGHT) / 2} y={HEIGHT - 6} textAnchor="middle">
        rank by @{active} of the host of @{candidate}
      </text>
      <text transform={`translate(12 ${(TOP + BOTTOM) / 2}) rotate(-90)`} textAnchor="middle">
        rank by @{candidate} of the host of @{active}
      </text>
      {points.map((point, index) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the plot has a cursor for keys, and the table below has the links
        <g
          key={point.key}
          className="scatter-point"
          data-point={point.key}
          data-shown={index === at || undefined}
          transform={`translate(${x(point.old)} ${y(point.new)})`}
          onPointerEnter={() => onPoint(index)}
          onClick={() => onOpen(point)}
        >
          <circle className="scatter-target" r={12} />
          {point.old === null || point.new === null ? (
            <path d="M-5 -5L5 5M-5 5L5 -5" />
          ) : (
            <circle r={Math.min(11, 4 + 1.5 * Math.log2(point.of.length))} />
          )}
        </g>
      ))}
    </svg>
  )
}

const idleText = (others: number): string =>
  `Points near rank 1 on both axes mean that the versions hardly differ; points far up or to the right mean that the versions rank the hosts differently.${others === 0 ? '' : ` ${formatCount(others)} more decisions place fewer or more instances, and have no rank.`}`

function lineOf({ old, new: next, of }: Point, { active, candidate }: Versions): string {
  const [first] = of
  const count = `${formatCount(of.length)} ${of.length === 1 ? 'decision' : 'decisions'}`
  const rank = (value: number | null): string => (value === null ? 'no rank' : `rank ${formatCount(value)}`)
  const why = first === undefined ? [] : [first.baselineChoice.because, first.candidateChoice.because].filter((text) => text !== null)
  const hosts = first === undefined ? '' : ` (${first.candidateChoice.hostName} and ${first.baselineChoice.hostName} in the newest)`
  return `${count}: the host of @${candidate} has ${rank(old)} by @${active}, that of @${active} ${rank(next)} by @${candidate}${hosts}. ${why.join(' ')}`
}

/** The index of the point to which a key moves the cursor. Undefined for other keys. */
function indexAfter(key: string, at: number | undefined, count: number): number | undefined {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return Math.max(0, (at ?? count) - 1)
    case 'ArrowRight':
    case 'ArrowUp':
      return Math.min(count - 1, (at ?? -1) + 1)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}
