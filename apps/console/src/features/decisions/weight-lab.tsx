import { Badge, Table, Text } from '@mantine/core'
import { formatCount } from '../../lib/format.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import type { EXPLANATION } from './documents.ts'

type Weighing = ResultOf<typeof EXPLANATION>['explainPlacement']['weighing']
type Weigher = Weighing['weighers'][number]

/** What the multipliers decide: which weigher, which of them never matters, and how far each can move before another host is first. */
export function WeightLab({ weighing }: { readonly weighing: Weighing }) {
  const { weighers, margin, note } = weighing
  if (weighers.length === 0 || margin === null) return null
  return (
    <section aria-label="Weight lab">
      <Text component="h3" fw={600} size="sm" mt="sm">
        How far each multiplier can move
      </Text>
      <Text size="sm" data-margin={margin}>
        {margin === 0
          ? 'The first two have the same total: the order of hosts decided.'
          : `The first is ahead of the second by ${exact(margin)}.`}
        {note === null ? '' : ` ${note}`}
      </Text>
      <ScrollBox label="Limits of the multipliers">
        <Table verticalSpacing={3} className="lab">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Weigher</Table.Th>
              <Table.Th>What it does</Table.Th>
              <Table.Th className="number">another is first at or below</Table.Th>
              <Table.Th className="number">multiplier</Table.Th>
              <Table.Th className="number">another is first at or above</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {weighers.map((weigher) => (
              <Table.Tr key={weigher.name} data-weigher={weigher.name}>
                <Table.Td>{weigher.name}</Table.Td>
                <Table.Td>
                  <Role weigher={weigher} />
                </Table.Td>
                <Limit at={weigher.flipsBelow} winner={weigher.winnerBelow} />
                <Table.Td className="number">
                  {weigher.multiplier}
                  {weigher.multiplierVaries ? ' *' : ''}
                </Table.Td>
                <Limit at={weigher.flipsAbove} winner={weigher.winnerAbove} />
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollBox>
      {weighers.some(({ multiplierVaries }) => multiplierVaries) ? (
        <Text size="xs" c="dimmed">
          * Some hosts have a multiplier of their own, from an aggregate; the limits are of the profile's.
        </Text>
      ) : null}
    </section>
  )
}

function Role({ weigher: { decisive, idle, winnerWithout } }: { readonly weigher: Weigher }) {
  if (decisive)
    return (
      <>
        <Badge variant="light" tt="none">
          decides
        </Badge>{' '}
        <Text size="sm" component="span">
          without it: {winnerWithout ?? 'none'}
        </Text>
      </>
    )
  return (
    <Text size="sm" component="span" className={idle ? 'dimmed' : ''}>
      {idle ? 'nothing: the first ten are the same without it' : 'orders those behind the first'}
    </Text>
  )
}

function Limit({ at, winner }: { readonly at: number | null; readonly winner: string | null }) {
  return (
    <Table.Td className="number">
      {at === null ? <span className="dimmed">never</span> : <span title={String(at)}>{exact(at)}</span>}
      {winner === null ? null : <div className="dimmed">{winner}</div>}
    </Table.Td>
  )
}

const exact = (value: number): string => (Number.isInteger(value) ? formatCount(value) : String(Number(value.toPrecision(5))))
