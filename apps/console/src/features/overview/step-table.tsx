import { withTimes } from '@gantt/scheduler-core/query'
import { Table } from '@mantine/core'
import { formatCount, formatTime, formatTook, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { type Activity, FAILED } from './figures.ts'
import { endOf } from './steps.ts'

/** The steps that have decisions; each count opens what it counts. */
export function StepTable({ activity }: { readonly activity: Activity }) {
  const zone = useTimeZone()
  const busy = activity.steps.flatMap((step, place) => (step.decisions === 0 ? [] : [{ ...step, until: endOf(activity, place) }]))
  return (
    <ScrollBox label="Decisions step by step" maxHeight="240px">
      <Table verticalSpacing={1} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>From</Table.Th>
            <Table.Th className="number">Decisions</Table.Th>
            <Table.Th className="number">Failed</Table.Th>
            <Table.Th className="number">p50</Table.Th>
            <Table.Th className="number">p99</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {busy.map(({ at, until, decisions, failed, took }) => {
            const open = (count: number, what: string, terms: string) => (
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
              <Table.Tr key={at} data-step={at}>
                <Table.Td title={titleOfTime(at)}>{formatTime(at, zone)}</Table.Td>
                <Table.Td className="number">{open(decisions, 'decisions', '')}</Table.Td>
                <Table.Td className="number">{failed === 0 ? 0 : open(failed, 'failed', FAILED)}</Table.Td>
                <Table.Td className="number">{took === null ? '-' : formatTook(took.p50Ms)}</Table.Td>
                <Table.Td className="number">{took === null ? '-' : formatTook(took.p99Ms)}</Table.Td>
              </Table.Tr>
            )
          })}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  )
}
