import { Table } from '@mantine/core'
import type { ResultOf } from '../../lib/graphql.ts'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import type { WHY_NOT } from './documents.ts'

type Gap = ResultOf<typeof WHY_NOT>['whyNot']['versusWinner'][number]

/** Weigher by weigher: how far a host stayed behind the one that was taken. */
export function Gaps({ gaps }: { readonly gaps: readonly Gap[] }) {
  const total = gaps.reduce((sum, { gap }) => sum + gap, 0)
  return (
    <ScrollBox label="Against the host that was taken">
      <Table mt="xs" verticalSpacing={3}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Weigher</Table.Th>
            <Table.Th>This host</Table.Th>
            <Table.Th>The one taken</Table.Th>
            <Table.Th className="number">Gap in the total</Table.Th>
            <Table.Th className="number">would be first at</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {gaps.map(({ weigher, unit, hostRaw, winnerRaw, gap, wouldFlipAt }) => (
            <Table.Tr key={weigher}>
              <Table.Td>{weigher}</Table.Td>
              <Table.Td>
                {hostRaw} {unit}
              </Table.Td>
              <Table.Td>
                {winnerRaw} {unit}
              </Table.Td>
              <Table.Td className="number">{signed(-gap)}</Table.Td>
              <Table.Td className="number" data-flip-at={wouldFlipAt ?? ''}>
                {wouldFlipAt === null ? (
                  <span className="dimmed">none</span>
                ) : (
                  <span title={String(wouldFlipAt)}>× {Number(wouldFlipAt.toPrecision(4))}</span>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
          <Table.Tr>
            <Table.Td fw={600}>in all</Table.Td>
            <Table.Td />
            <Table.Td />
            <Table.Td className="number" fw={600}>
              {signed(-total)}
            </Table.Td>
            <Table.Td />
          </Table.Tr>
        </Table.Tbody>
      </Table>
    </ScrollBox>
  )
}

const signed = (value: number): string =>
  Math.abs(value) < 5e-7 ? '0' : `${value > 0 ? '+' : '−'}${Number(Math.abs(value).toPrecision(4))}`
