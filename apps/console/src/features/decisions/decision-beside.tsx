import { Code, Stack, Table, Text } from '@mantine/core'
import { useOperation } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import { reasonOfHosts } from '../../lib/reason-of-hosts.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { BesideHead, BesideLoading } from '../../ui/beside-list.tsx'
import { Problem } from '../../ui/problem.tsx'
import { type Decision, DecisionHeader, titleOf } from './decision-header.tsx'
import { Destinations } from './destinations.tsx'
import { DECISION } from './documents.ts'
import { membersOf } from './members.ts'
import './decisions.css'

/** One decision beside the list, as its record tells it: nothing is made again for it, however fast one goes through the rows. */
export function DecisionBeside({ id }: { readonly id: string }) {
  const { data, error, refetch } = useOperation(DECISION, { id }, { keepPrevious: false })
  if (data === undefined) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <BesideLoading />
  const { decision } = data
  if (decision === null)
    return (
      <Text size="sm">
        No decision has the id <Code>{id}</Code>; its record is not kept any more.
      </Text>
    )
  return (
    <Stack gap="sm">
      <div>
        <BesideHead>
          <AnchorLink to="/decisions/$id" params={{ id }} size="sm">
            {titleOf(decision)}
          </AnchorLink>
        </BesideHead>
        <DecisionHeader decision={decision} fidelity={undefined} />
      </div>
      {decision.cause && <Text size="sm">{decision.cause.text}</Text>}
      <Reasons reasons={decision.reasons} />
      <Steps hostCount={decision.hostCount} steps={decision.funnel} />
      <Destinations destinations={decision.destinations} members={membersOf(decision.spec.document, decision.spec.numInstances)} />
    </Stack>
  )
}

/** Why it failed, most hosts first. */
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

/** How many hosts each filter refused, and how many were left. */
function Steps({ hostCount, steps }: StepsProps) {
  return (
    <Table verticalSpacing={2} horizontalSpacing="xs" aria-label="Where the hosts went">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Filter</Table.Th>
          <Table.Th className="number">Refused</Table.Th>
          <Table.Th className="number">Left</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        <Table.Tr>
          <Table.Th scope="row" fw={400}>
            all hosts
          </Table.Th>
          <Table.Td />
          <Table.Td className="number">{formatCount(hostCount)}</Table.Td>
        </Table.Tr>
        {steps.map(({ filter, entered, passed }) => (
          <Table.Tr key={filter}>
            <Table.Th scope="row" fw={400} className="breaks">
              {filter}
            </Table.Th>
            <Table.Td className="number">{entered === passed ? '0' : `−${formatCount(entered - passed)}`}</Table.Td>
            <Table.Td className="number">{formatCount(passed)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
