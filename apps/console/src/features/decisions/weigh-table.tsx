import { Anchor, Skeleton, Table, Text } from '@mantine/core'
import { useOperation } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { Problem } from '../../ui/problem.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { WEIGHING } from './documents.ts'
import { extentOf, type Segment, stack } from './stack.ts'

interface WeighTableProps {
  readonly decisionId: string
  readonly instance: number | null
  readonly note: string
  readonly pin: string | undefined
  onPin(host: string | undefined): void
  onOpen(host: string): void
}

type Weighing = ResultOf<typeof WEIGHING>['explainPlacement']['weighing']
type Weighed = Weighing['hosts'][number]

const HEIGHT = 16
const WIDTH = 320

/** Why this host: every weigher's contribution to the totals of the best, as stacks around zero. */
export function WeighTable({ decisionId, instance, note, pin, onPin, onOpen }: WeighTableProps) {
  const { data, error, refetch } = useOperation(WEIGHING, { id: decisionId, instance }, { staleMs: 60_000 })
  if (error) return <Problem error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton height={160} role="status" aria-label="The weights are being worked out" />
  const { weighing } = data.explainPlacement
  const { hosts, weighers, candidateCount, truncatedAt } = weighing
  if (hosts.length === 0) return null
  const [winner] = hosts
  const pinned = hosts.find((host) => nameOf(host) === pin)
  const best = pinned ?? winner
  const stacks = hosts.map(({ weights }) => stack(weights))
  const extent = extentOf(stacks)
  const decisive = weighers.filter((one) => one.decisive).map(({ name }) => name)
  return (
    <section aria-label="Weights">
      <Text component="h2" fw={600} size="md">
        Why this host
      </Text>
      <Text size="sm">
        {note}{' '}
        {weighers.length === 0
          ? 'The profile weighs nothing: the order of hosts decides.'
          : decisive.length === 0
            ? 'No single weigher decided: without any one of them the same host is best.'
            : `Decisive: ${decisive.join(', ')}; without it another host would be best.`}
      </Text>
      <Text size="xs" c="dimmed">
        {truncatedAt < candidateCount
          ? `The best ${formatCount(truncatedAt)} of ${formatCount(candidateCount)} hosts that passed.`
          : `All ${formatCount(candidateCount)} hosts that passed.`}{' '}
        Gaps are to {best === undefined ? 'the best' : nameOf(best)}; press a rank to compare with another.
      </Text>
      <Legend weighers={weighers} />
      <ScrollBox label="Totals of the best hosts" maxHeight="420px">
        <Table className="weights">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Rank</Table.Th>
              <Table.Th>Host</Table.Th>
              <Table.Th>Total</Table.Th>
              <Table.Th>Gap</Table.Th>
              <Table.Th>Contributions</Table.Th>
              {weighers.map(({ name, multiplier, unit }) => (
                <Table.Th key={name} title={`raw numbers in ${unit}`}>
                  {name} ×{multiplier}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {hosts.map((host, i) => (
              <Row
                key={nameOf(host)}
                host={host}
                best={best}
                segments={stacks[i] ?? []}
                extent={extent}
                isPinned={nameOf(host) === pin}
                onPin={onPin}
                onOpen={onOpen}
              />
            ))}
          </Table.Tbody>
        </Table>
      </ScrollBox>
    </section>
  )
}

interface RowProps {
  readonly host: Weighed
  readonly best: Weighed | undefined
  readonly segments: readonly Segment[]
  readonly extent: readonly [number, number]
  readonly isPinned: boolean
  onPin(host: string | undefined): void
  onOpen(host: string): void
}

function Row({ host, best, segments, extent, isPinned, onPin, onOpen }: RowProps) {
  const name = nameOf(host)
  const gap = (host.totalWeight ?? 0) - (best?.totalWeight ?? 0)
  return (
    <Table.Tr data-host={name} data-outcome={host.outcome}>
      <Table.Td>
        <Anchor
          component="button"
          type="button"
          size="sm"
          aria-pressed={isPinned}
          aria-label={`Compare with rank ${host.rank}, ${name}`}
          onClick={() => onPin(isPinned ? undefined : name)}
        >
          {host.rank}
        </Anchor>
      </Table.Td>
      <Table.Td>
        <Anchor component="button" type="button" size="sm" onClick={() => onOpen(name)} aria-label={`Why ${name}`}>
          {name}
        </Anchor>
        {host.outcome === 'SELECTED' ? ' ← chosen' : host.outcome === 'ALTERNATE' ? ' alternate' : ''}
      </Table.Td>
      <Table.Td className="number" title={String(host.totalWeight)}>
        {round(host.totalWeight ?? 0)}
      </Table.Td>
      <Table.Td className="number">{round(gap)}</Table.Td>
      <Table.Td>
        <Stack segments={segments} extent={extent} />
      </Table.Td>
      {host.weights.map(({ weigher, raw, normalized, unit, weighted }) => (
        <Table.Td key={weigher} className="number" title={`raw ${raw} ${unit}, scaled ${normalized}, weighted ${weighted}`}>
          {round(weighted)}{' '}
          <Text size="xs" c="dimmed" component="span">
            ({round(raw)} {unit})
          </Text>
        </Table.Td>
      ))}
    </Table.Tr>
  )
}

function Stack({ segments, extent: [low, high] }: { readonly segments: readonly Segment[]; readonly extent: readonly [number, number] }) {
  const x = (value: number): number => ((value - low) / (high - low)) * WIDTH
  const text = segments.map(({ weigher, weighted }) => `${weigher} ${round(weighted)}`).join(', ')
  return (
    <svg width={WIDTH} height={HEIGHT} role="img" aria-label={text}>
      <title>{text}</title>
      {segments.map(({ weigher, from, to }, i) => (
        <rect
          key={weigher}
          className={`segment segment-${i % 8}`}
          x={x(from)}
          y={2}
          width={Math.max(0, x(to) - x(from))}
          height={HEIGHT - 4}
        />
      ))}
      <line x1={x(0)} x2={x(0)} y1={0} y2={HEIGHT} className="zero" />
    </svg>
  )
}

function Legend({ weighers }: { readonly weighers: Weighing['weighers'] }) {
  return (
    <ul className="legend" aria-label="Weighers">
      {weighers.map(({ name }, i) => (
        <li key={name}>
          <svg width={12} height={12} aria-hidden="true">
            <rect className={`segment segment-${i % 8}`} width={12} height={12} />
          </svg>{' '}
          {name}
        </li>
      ))}
    </ul>
  )
}

const nameOf = ({ hostName, node }: { readonly hostName: string; readonly node: string }): string =>
  hostName === node ? hostName : `${hostName}/${node}`

const round = (value: number): string => (Math.abs(value) < 5e-7 ? '0' : String(Number(value.toPrecision(5))))
