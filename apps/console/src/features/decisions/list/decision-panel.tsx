import { Code, Stack, Text } from '@mantine/core'
import { formatCount, formatSigned } from '../../../lib/format.ts'
import { reasonOfHosts } from '../../../lib/reason-of-hosts.ts'
import { useOperation } from '../../../lib/service/api.ts'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import { PanelHead, PanelLoading } from '../../../ui/dialog/side-panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { SmallTable } from '../../../ui/table/small-table.tsx'
import { type Decision, DecisionHeader, titleOf } from '../decision-header.tsx'
import { Destinations } from '../destinations.tsx'
import { DECISION } from '../documents.ts'
import { membersOf } from '../members.ts'
import '../decisions.css'

/** One decision in the side panel, from its record and without a replay, so that moving through the rows stays fast. */
export function DecisionPanel({ id }: { readonly id: string }) {
  const { data, error, refetch } = useOperation(DECISION, { id }, { keepPrevious: false })
  if (data === undefined) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <PanelLoading />
  const { decision } = data
  if (decision === null)
    return (
      <Text size="sm">
        No decision has the id <Code>{id}</Code>; its record is no longer stored.
      </Text>
    )
  return (
    <Stack gap="sm">
      <div>
        <PanelHead>
          <AnchorLink to="/decisions/$id" params={{ id }} size="sm">
            {titleOf(decision)}
          </AnchorLink>
        </PanelHead>
        <DecisionHeader decision={decision} fidelity={undefined} />
      </div>
      {decision.cause && <Text size="sm">{decision.cause.text}</Text>}
      <Reasons reasons={decision.reasons} />
      <Steps hostCount={decision.hostCount} steps={decision.funnel} />
      <Destinations destinations={decision.destinations} members={membersOf(decision.spec.document, decision.spec.numInstances)} />
    </Stack>
  )
}

/** The reasons why the request failed. The reason with the most hosts comes first. */
function Reasons({ reasons }: { readonly reasons: Decision['reasons'] }) {
  if (reasons.length === 0) return null
  return (
    <section aria-label="Reasons">
      <ul className="plain-list">
        {reasons.map(({ code, filter, hosts, text }) => (
          <li key={`${filter} ${code}`}>
            <Text size="sm">
              <b>{formatCount(hosts)}</b> {hosts === 1 ? 'host: ' : 'hosts, '}
              {reasonOfHosts({ hosts, text })} <span className="dimmed">({filter})</span>
            </Text>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface StepsProps {
  readonly hostCount: number
  readonly steps: Decision['funnel']
}

/** How many hosts each filter refused, and how many remained. */
function Steps({ hostCount, steps }: StepsProps) {
  const rows = [
    { filter: 'all hosts', refused: undefined, passed: hostCount },
    ...steps.map(({ filter, entered, passed }) => ({ filter, refused: entered - passed, passed })),
  ]
  return (
    <SmallTable
      label="Filter funnel"
      isBare
      rows={rows}
      rowKey={({ filter }) => filter}
      columns={[
        { head: 'Filter', isRowHead: true, className: 'breaks', cell: ({ filter }) => filter },
        { head: 'Refused', isNumber: true, cell: ({ refused }) => (refused === undefined ? null : formatSigned(-refused)) },
        { head: 'Left', isNumber: true, cell: ({ passed }) => formatCount(passed) },
      ]}
    />
  )
}
