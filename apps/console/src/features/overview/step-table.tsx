import { withTimes } from '@gantt/scheduler-core/query'
import { formatCount, formatTime, formatTook, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { SmallTable } from '../../ui/table/small-table.tsx'
import { type Activity, FAILED } from './figures.ts'
import { endOf } from './steps.ts'

/** A table of the steps that have decisions. Each count links to the counted decisions. */
export function StepTable({ activity }: { readonly activity: Activity }) {
  const zone = useTimeZone()
  const busy = activity.steps.flatMap((step, index) => (step.decisions === 0 ? [] : [{ ...step, until: endOf(activity, index) }]))
  const open = ({ at, until }: (typeof busy)[number], count: number, what: string, terms: string) => (
    <AnchorLink
      size="sm"
      to="/decisions"
      search={{ q: withTimes(terms, Date.parse(at), Date.parse(until)) }}
      aria-label={`${formatCount(count)} ${what} from ${formatTime(at, zone)}: open them`}
    >
      {formatCount(count)}
    </AnchorLink>
  )
  return (
    <SmallTable
      label="Decisions step by step"
      maxHeight="240px"
      empty="No decisions."
      rows={busy}
      rowKey={({ at }) => at}
      rowAttributes={({ at }) => ({ 'data-step': at })}
      columns={[
        { head: 'From', cell: ({ at }) => formatTime(at, zone), title: ({ at }) => titleOfTime(at) },
        { head: 'Decisions', isNumber: true, cell: (step) => open(step, step.decisions, 'decisions', '') },
        { head: 'Failed', isNumber: true, cell: (step) => (step.failed === 0 ? 0 : open(step, step.failed, 'failed', FAILED)) },
        { head: 'p50', isNumber: true, cell: ({ took }) => (took === null ? '-' : formatTook(took.p50Ms)) },
        { head: 'p99', isNumber: true, cell: ({ took }) => (took === null ? '-' : formatTook(took.p99Ms)) },
      ]}
    />
  )
}
