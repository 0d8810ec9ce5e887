import { Alert, Text } from '@mantine/core'
import { formatCount } from '../../../lib/format.ts'
import { Cancelled, Running } from '../../../ui/dialog/running.tsx'
import { Heading } from '../../../ui/heading.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { type SmallColumn, SmallTable } from '../../../ui/table/small-table.tsx'
import type { Capacity } from './compared.ts'
import { Drained } from './drained.tsx'
import type { Answer } from './use-answers.ts'

/**
 * How many further instances fit, by zone, and which resources limit the count. Next to it is the count on the fleet without the
 * hypothetical edits.
 */
export function CapacityPanel({ capacity, baseline }: Pick<Answer, 'capacity' | 'baseline'>) {
  const { data, error, isRunning, isCancelled, cancel, run, call } = capacity
  return (
    <section aria-label="Capacity">
      <Heading keys="2" call={call}>
        Remaining capacity
      </Heading>
      {error ? <Problem error={error} onRetry={run} /> : null}
      {isRunning ? <Running label="Counting." onCancel={cancel} /> : null}
      {isCancelled ? <Cancelled label="Counting was cancelled" onRun={run} /> : null}
      {data === undefined || isRunning ? null : <Counted answer={data.capacity} baseline={baseline.data?.capacity} />}
    </section>
  )
}

function Counted({ answer, baseline }: { readonly answer: Capacity; readonly baseline: Capacity | undefined }) {
  const { fits, exact, cut, hostsWithRoom, groups, bottleneck, drain } = answer
  return (
    <div data-fits={fits} data-exact={exact}>
      <Text size="lg" role="status">
        Room for {exact ? '' : 'at least '}
        {formatCount(fits)} {fits === 1 ? 'instance' : 'instances'} in total, on {formatCount(hostsWithRoom)}{' '}
        {hostsWithRoom === 1 ? 'host' : 'hosts'}
        {baseline === undefined ? '' : `; ${formatCount(baseline.fits)} on the fleet as it is`}.
      </Text>
      {drain === null ? null : <Drained drain={drain} label="Drained before counting" />}
      {exact ? null : (
        <Alert color="yellow" p="xs" title="Not exact">
          {cut === 'LIMIT' ? 'Counting ended at its limit.' : 'The time ran out before everything was counted.'} More instances may fit.
        </Alert>
      )}
      <SmallTable
        label="Remaining capacity by zone"
        maxHeight="320px"
        rows={groups}
        rowKey={({ key }) => key}
        rowAttributes={({ key }) => ({ 'data-group': key })}
        columns={[
          { head: 'Zone', cell: ({ key }) => key },
          { head: 'fit', isNumber: true, cell: (group) => formatCount(group.fits) },
          ...(baseline === undefined ? [] : [asItIs(baseline)]),
          {
            head: 'hosts with room',
            isNumber: true,
            cell: (group) => `${formatCount(group.hostsWithRoom)} of ${formatCount(group.hosts)}`,
          },
          { head: 'limited by', cell: (group) => (group.bottleneck === null ? '' : wordFor(group.bottleneck)) },
        ]}
      />
      {bottleneck.length === 0 ? null : (
        <Text size="sm" mt={4} data-bottleneck>
          {[
            ['Limited by', bottleneck.filter(({ admitted }) => admitted)] as const,
            ['Hosts excluded by the request', bottleneck.filter(({ admitted }) => !admitted)] as const,
          ].map(([label, shares]) => (shares.length === 0 ? '' : `${label}: ${shares.map(wordFor).join('; ')}. `))}
        </Text>
      )}
    </div>
  )
}

/** A column with the count of instances that fit on the fleet without the hypothetical edits. */
function asItIs({ groups }: Capacity): SmallColumn<Capacity['groups'][number]> {
  const before = new Map(groups.map(({ key, fits }) => [key, fits]))
  return { head: 'as it is', isNumber: true, cell: ({ key }) => formatCount(before.get(key) ?? 0) }
}

const wordFor = ({ resource, code, hosts }: Pick<Capacity['bottleneck'][number], 'resource' | 'code' | 'hosts'>): string =>
  `${resource} (${code}) on ${formatCount(hosts)} ${hosts === 1 ? 'host' : 'hosts'}`
