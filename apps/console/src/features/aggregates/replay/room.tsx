import { Text } from '@mantine/core'
import { formatCount } from '../../../lib/format.ts'
import { SmallTable } from '../../../ui/table/small-table.tsx'
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

/** How many further instances of each flavor fit, without and with the edit, in total and by zone. */
export function Room({ room }: { readonly room: readonly FlavorRoom[] }) {
  return (
    <SmallTable
      label="Remaining capacity by flavor"
      isNarrow
      rows={room.flatMap(rowsOf)}
      rowKey={({ flavor, zone }) => `${flavor} ${zone}`}
      rowAttributes={({ flavor, zone }) => (zone === undefined ? { 'data-room': flavor } : { 'data-zone-room': `${flavor} ${zone}` })}
      columns={[
        {
          head: 'Most requested flavors',
          cell: ({ flavor, zone, exact }) =>
            zone === undefined ? (
              `${flavor}${exact ? '' : ' (at least: the time ran out while counting)'}`
            ) : (
              <Text size="xs" c="dimmed" pl="md">
                in {zone}
              </Text>
            ),
        },
        { head: 'more fit now', isNumber: true, cell: ({ before }) => formatCount(before) },
        { head: 'with the change', isNumber: true, cell: ({ after }) => formatCount(after) },
        { head: 'difference', isNumber: true, cell: ({ before, after }) => deltaText(before, after) },
        {
          head: <DumbbellKey />,
          cell: ({ flavor, zone, before, after, most }) => (
            <Dumbbell
              label={`${flavor}${zone === undefined ? '' : ` in ${zone}`}: ${formatCount(before)} now, ${formatCount(after)} with the change`}
              before={before}
              after={after}
              most={most}
            />
          ),
        },
      ]}
    />
  )
}

interface Row extends Sides {
  readonly flavor: string
  /** The zone of the row. Undefined for the total of all zones. */
  readonly zone: string | undefined
  readonly exact: boolean
  /** The value at the right end of the axis, which all rows of a flavor share. */
  readonly most: number
}

/** Rows with the capacity for a flavor: the total, then each zone. With a single zone there is only the total. */
function rowsOf({ flavor, exact, zones, before, after }: FlavorRoom): readonly Row[] {
  const common = { flavor, exact, most: Math.max(before, after) }
  return [{ ...common, zone: undefined, before, after }, ...(zones.length < 2 ? [] : zones.map((inZone) => ({ ...common, ...inZone })))]
}
