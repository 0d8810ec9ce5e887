import { withTimes } from '@gantt/scheduler-core/query'
import { formatTime, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { Age } from '../../ui/age.tsx'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { SmallTable } from '../../ui/table/small-table.tsx'
import type { Mark } from './use-marks.ts'

interface ChangeTableProps {
  readonly label: string
  readonly changes: readonly Mark[]
  /** True if ages are shown instead of times. */
  readonly isAge?: boolean
  readonly maxHeight?: string | undefined
}

/** A table of operators' changes. The time links to the fleet at that time, and the name of the change links to the row of the audit. */
export function ChangeTable({ label, changes, isAge = false, maxHeight }: ChangeTableProps) {
  const zone = useTimeZone()
  return (
    <SmallTable
      label={label}
      maxHeight={maxHeight}
      rows={changes}
      rowKey={({ id }) => id}
      rowAttributes={({ mutation }) => ({ 'data-change': mutation })}
      columns={[
        {
          head: 'Time',
          className: 'narrow',
          cell: ({ at, mutation, target }) => (
            <AnchorLink size="sm" to="/hosts" search={{ at }} aria-label={`${mutation} of ${target}: the fleet as it was then`}>
              {isAge ? <Age atMs={Date.parse(at)} ago /> : formatTime(at, zone)}
            </AnchorLink>
          ),
          title: ({ at }) => titleOfTime(at),
        },
        { head: 'Account', className: 'narrow', cell: ({ account }) => account },
        {
          head: 'Change',
          className: 'narrow',
          cell: ({ id, at, mutation, target }) => (
            <AnchorLink
              size="sm"
              to="/audit"
              search={{ q: withTimes('', Date.parse(at), Date.parse(at) + 1), row: id }}
              aria-label={`${mutation} of ${target}: its row of the audit`}
            >
              {mutation}
            </AnchorLink>
          ),
        },
        { head: 'Target', className: 'rest', cell: ({ target }) => target, title: ({ target }) => target },
      ]}
    />
  )
}
