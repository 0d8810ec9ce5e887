import { Table, Text } from '@mantine/core'
import { Fragment } from 'react'
import { formatCount } from '../../lib/format.ts'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { Dumbbell, DumbbellKey } from './dumbbell.tsx'
import { deltaText } from './replay-text.ts'

export interface Sides {
  readonly before: number
  readonly after: number
}

export interface FlavorRoom extends Sides {
  readonly flavor: string
  readonly exact: boolean
  readonly zones: readonly (Sides & { readonly zone: string })[]
}

/** How many more of each flavor fit, now and with the change, in all and by zone; each flavor has an axis of its own. */
export function Room({ room }: { readonly room: readonly FlavorRoom[] }) {
  if (room.length === 0) return null
  return (
    <ScrollBox label="Room for flavors">
      <Table verticalSpacing={2} w="auto" mt="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Flavors asked for most</Table.Th>
            <Table.Th className="number">more fit now</Table.Th>
            <Table.Th className="number">with the change</Table.Th>
            <Table.Th className="number">difference</Table.Th>
            <Table.Th>
              <DumbbellKey />
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {room.map(({ flavor, exact, zones, ...sides }) => (
            <Fragment key={flavor}>
              <Table.Tr data-room={flavor}>
                <Table.Td>
                  {flavor}
                  {exact ? '' : ' (at least: there was no time to count on)'}
                </Table.Td>
                <SidesCells name={flavor} sides={sides} most={mostOf(sides)} />
              </Table.Tr>
              {/* of one zone it is the same once more */}
              {(zones.length < 2 ? [] : zones).map(({ zone, ...inZone }) => (
                <Table.Tr key={zone} data-zone-room={`${flavor} ${zone}`}>
                  <Table.Td pl="lg">
                    <Text size="xs" c="dimmed">
                      in {zone}
                    </Text>
                  </Table.Td>
                  <SidesCells name={`${flavor} in ${zone}`} sides={inZone} most={mostOf(sides)} />
                </Table.Tr>
              ))}
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  )
}

const mostOf = ({ before, after }: Sides): number => Math.max(before, after)

interface SidesCellsProps {
  readonly name: string
  readonly sides: Sides
  readonly most: number
}

function SidesCells({ name, sides, most }: SidesCellsProps) {
  const { before, after } = sides
  return (
    <>
      <Table.Td className="number">{formatCount(before)}</Table.Td>
      <Table.Td className="number">{formatCount(after)}</Table.Td>
      <Table.Td className="number">{deltaText(before, after)}</Table.Td>
      <Table.Td>
        <Dumbbell label={`${name}: ${formatCount(before)} now, ${formatCount(after)} with the change`} {...sides} most={most} />
      </Table.Td>
    </>
  )
}
