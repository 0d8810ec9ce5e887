import { Text } from '@mantine/core'
import { formatAmount, formatSigned } from '../../../lib/format.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { SmallTable } from '../../../ui/table/small-table.tsx'
import type { CHECK } from '../documents.ts'

type Zone = ResultOf<typeof CHECK>['compareProfiles']['zones'][number]

interface ZoneShiftProps {
  readonly zones: readonly Zone[]
  /** The numbers of the two versions. */
  readonly baseline: number
  readonly candidate: number
}

/** How many instances each version places in each zone, and their resources. */
export function ZoneShift({ zones, baseline, candidate }: ZoneShiftProps) {
  if (zones.length === 0) return null
  return (
    <>
      <Text component="h3" fw={600} size="sm" mt="xs">
        Instances and resources by zone
      </Text>
      <SmallTable
        label="Instances and resources by zone"
        maxHeight="360px"
        isNarrow
        rows={zones.flatMap(rowsOf)}
        rowKey={({ zone, resourceClass }) => `${zone} ${resourceClass}`}
        rowAttributes={({ zone, resourceClass, shift }) => ({ 'data-zone': zone, 'data-takes': resourceClass, 'data-shift': shift })}
        columns={[
          { head: 'Zone', cell: ({ zone, resourceClass }) => (resourceClass !== INSTANCES ? null : zone === '' ? 'no zone' : zone) },
          { head: 'Resource', cell: ({ resourceClass }) => resourceClass },
          { head: `by version ${baseline}`, isNumber: true, cell: (row) => formatAmount(row.resourceClass, row.baseline) },
          { head: `by version ${candidate}`, isNumber: true, cell: (row) => formatAmount(row.resourceClass, row.candidate) },
          {
            head: 'shift',
            isNumber: true,
            cell: ({ resourceClass, shift }) => formatSigned(shift, (amount) => formatAmount(resourceClass, amount)),
            title: ({ shift }) => formatSigned(shift),
          },
        ]}
      />
    </>
  )
}

/** Resource classes have no lower-case letters, so this name cannot be a class. */
const INSTANCES = 'instances'

const rowsOf = ({ zone, resources, ...instances }: Zone) =>
  [{ resourceClass: INSTANCES, ...instances }, ...resources].map((one) => ({ zone, ...one, shift: one.candidate - one.baseline }))
