import { Alert, Table, Text } from '@mantine/core'
import { formatCount } from '../../lib/format.ts'
import { Heading } from '../../ui/heading.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Cancelled, Running } from '../../ui/running.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import type { Capacity } from './compared.ts'
import { Drained } from './drained.tsx'
import type { Answer } from './use-answers.ts'

/** How many more of one instance fit, zone by zone, with what is in the way of more; beside it the fleet as it is. */
export function CapacityPanel({ capacity, baseline }: Pick<Answer, 'capacity' | 'baseline'>) {
  const { data, error, isRunning, isCancelled, cancel, run, call } = capacity
  return (
    <section aria-label="Capacity">
      <Heading keys="2" call={call}>
        How many more fit
      </Heading>
      {error ? <Problem error={error} onRetry={run} /> : null}
      {isRunning ? <Running label="They are being counted." onCancel={cancel} /> : null}
      {isCancelled ? <Cancelled label="The count was cancelled" onRun={run} /> : null}
      {data === undefined || isRunning ? null : <Counted answer={data.capacity} baseline={baseline.data?.capacity} />}
    </section>
  )
}

function Counted({ answer, baseline }: { readonly answer: Capacity; readonly baseline: Capacity | undefined }) {
  const { fits, exact, cut, hostsWithRoom, groups, bottleneck, drain } = answer
  const before = new Map(baseline?.groups.map(({ key, fits: was }) => [key, was]))
  return (
    <div data-fits={fits} data-exact={exact}>
      <Text size="lg" role="status">
        {exact ? '' : 'At least '}
        {formatCount(fits)} more {fits === 1 ? 'fits' : 'fit'}, on {formatCount(hostsWithRoom)} {hostsWithRoom === 1 ? 'host' : 'hosts'}
        {baseline === undefined ? '' : `; ${formatCount(baseline.fits)} on the fleet as it is`}.
      </Text>
      {drain === null ? null : <Drained drain={drain} label="Drained before counting" />}
      {exact ? null : (
        <Alert color="yellow" p="xs" title="Not exact">
          {cut === 'LIMIT' ? 'Counting ended at its limit.' : 'There was no time to count all.'} There may be more.
        </Alert>
      )}
      {groups.length === 0 ? null : (
        <ScrollBox label="How many more fit, by zone" maxHeight="320px">
          <Table verticalSpacing={2} stickyHeader>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Zone</Table.Th>
                <Table.Th className="number">fit</Table.Th>
                {baseline === undefined ? null : <Table.Th className="number">as it is</Table.Th>}
                <Table.Th className="number">hosts with room</Table.Th>
                <Table.Th>what is in the way of more</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {groups.map((group) => (
                <Table.Tr key={group.key} data-group={group.key}>
                  <Table.Td>{group.key}</Table.Td>
                  <Table.Td className="number">{formatCount(group.fits)}</Table.Td>
                  {baseline === undefined ? null : <Table.Td className="number">{formatCount(before.get(group.key) ?? 0)}</Table.Td>}
                  <Table.Td className="number">
                    {formatCount(group.hostsWithRoom)} of {formatCount(group.hosts)}
                  </Table.Td>
                  <Table.Td>{group.bottleneck === null ? '' : wordFor(group.bottleneck)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollBox>
      )}
      {bottleneck.length === 0 ? null : (
        <Text size="sm" mt={4} data-bottleneck>
          {[
            ['In the way of more', bottleneck.filter(({ admitted }) => admitted)] as const,
            ['Hosts that the request is not about', bottleneck.filter(({ admitted }) => !admitted)] as const,
          ].map(([label, shares]) => (shares.length === 0 ? '' : `${label}: ${shares.map(wordFor).join('; ')}. `))}
        </Text>
      )}
    </div>
  )
}

const wordFor = ({ resource, code, hosts }: Pick<Capacity['bottleneck'][number], 'resource' | 'code' | 'hosts'>): string =>
  `${resource} (${code}) on ${formatCount(hosts)} ${hosts === 1 ? 'host' : 'hosts'}`
