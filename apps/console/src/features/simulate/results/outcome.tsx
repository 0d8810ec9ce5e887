import { Alert, Group, Text } from '@mantine/core'
import { formatAmount, formatCount, formatPercent, formatSigned } from '../../../lib/format.ts'
import { reasonOfHosts } from '../../../lib/reason-of-hosts.ts'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import { Meter } from '../../../ui/chart/meter.tsx'
import { Cancelled, Running } from '../../../ui/dialog/running.tsx'
import { Heading } from '../../../ui/heading.tsx'
import { PathList } from '../../../ui/path-list.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { SmallTable } from '../../../ui/table/small-table.tsx'
import { askedOf, type Simulation } from './compared.ts'
import { Drained } from './drained.tsx'
import { ignoredBy, placedOn, utilisationRows } from './outcome-rows.ts'
import type { Answer } from './use-answers.ts'

interface OutcomeProps extends Pick<Answer, 'simulation'> {
  /** The name of the scenario, if there are several. */
  readonly name?: string | undefined
}

/**
 * The results of the requests: the placed instances and their hosts, why the first failed request failed, and the usage of the zones
 * afterwards.
 */
export function Outcome({ simulation, name }: OutcomeProps) {
  const { data, error, isRunning, isCancelled, cancel, run, call } = simulation
  return (
    <section aria-label="Outcome">
      <Heading keys="1" call={call}>
        {name === undefined ? 'Outcome' : `Outcome: ${name}`}
      </Heading>
      {error ? <Problem error={error} onRetry={run} /> : null}
      {isRunning ? <Running label="The requests are being decided." onCancel={cancel} /> : null}
      {isCancelled ? <Cancelled label="The simulation was cancelled" onRun={run} /> : null}
      {data === undefined || isRunning ? null : <Simulated simulation={data.simulate} />}
    </section>
  )
}

function Simulated({ simulation }: { readonly simulation: Simulation }) {
  const { asOf, placed, failed, notDecided, drain, solved, firstFailure } = simulation
  const all = askedOf(simulation)
  return (
    <div data-placed={placed} data-failed={failed}>
      <Text size="lg" role="status">
        {formatCount(placed)} of {formatCount(all)} {all === 1 ? 'instance' : 'instances'} would be placed.
      </Text>
      <Text size="xs" c="dimmed">
        Decided on revision {asOf}; nothing was claimed.
      </Text>
      <PathList label="Without effect" paths={ignoredBy(simulation.decisions)}>
        Ignored fields (nothing in the profile reads them, or no recent document locates what they name):
      </PathList>
      {drain === null ? null : <Drained drain={drain} label="Drained hosts" />}
      {solved.length === 0 ? null : <Solved solved={solved} />}
      {notDecided === 0 ? null : (
        <Alert color="yellow" p="xs" title="Not all requests were decided">
          The time ran out for {formatCount(notDecided)} of them.
        </Alert>
      )}
      {placed === 0 ? null : <Destinations simulation={simulation} />}
      {firstFailure === null ? null : <FirstFailure failure={firstFailure} />}
      <Utilisation simulation={simulation} />
    </div>
  )
}

/** Shows whether the arrangements of the solver or those of the filter scheduler were used. Only for profiles with a solver. */
function Solved({ solved }: Pick<Simulation, 'solved'>) {
  return (
    <Text size="sm" data-solved>
      Hosts chosen{' '}
      {solved
        .map(({ taken, why, decisions }) =>
          taken === 'SOLVER' ? `by the solver: ${formatCount(decisions)}` : `by the filter scheduler, ${why}: ${formatCount(decisions)}`,
        )
        .join('; ')}
      .
    </Text>
  )
}

const HOSTS_SHOWN = 12

function Destinations({ simulation }: { readonly simulation: Simulation }) {
  const { decisions, decisionCount } = simulation
  const hosts = placedOn(decisions)
  const isOne = hosts.reduce((sum, { count }) => sum + count, 0) === 1
  return (
    <Text size="sm" className="running-text" data-hosts={hosts.length}>
      {decisions.length < decisionCount ? `The first ${formatCount(decisions.length)} go to ` : isOne ? 'It goes to ' : 'They go to '}
      {hosts.slice(0, HOSTS_SHOWN).map(({ host, count }, i) => (
        <span key={host}>
          {i === 0 ? '' : ', '}
          {host.includes('+') ? host : <HostLink host={host} />}
          {count > 1 ? ` × ${formatCount(count)}` : ''}
        </span>
      ))}
      {hosts.length > HOSTS_SHOWN ? ` and ${formatCount(hosts.length - HOSTS_SHOWN)} more hosts` : ''}.
    </Text>
  )
}

function HostLink({ host }: { readonly host: string }) {
  const [name = '', node] = host.split('/')
  return (
    <AnchorLink size="sm" to="/hosts/$host" params={{ host: name }} search={node === undefined ? {} : { node }}>
      {host}
    </AnchorLink>
  )
}

type Failure = NonNullable<Simulation['firstFailure']>

/** The filter funnel of the first request that was not placed. */
function FirstFailure({ failure: { copy, explanation } }: { readonly failure: Failure }) {
  const { headline, hostCount, steps } = explanation
  const asked = steps.filter(({ skippedBecause }) => skippedBecause === null)
  return (
    <section aria-label="The first request that was not placed">
      <Text component="h3" fw={600} size="sm" mt="sm">
        Why request {formatCount(copy + 1)} was not placed
      </Text>
      <Text size="sm" data-failure>
        {headline}
      </Text>
      <SmallTable
        label="Hosts left after each filter"
        rows={asked}
        rowKey={({ name }) => name}
        rowAttributes={({ name }) => ({ 'data-step': name })}
        columns={[
          { head: 'Hosts left after', className: 'narrow', cell: ({ name }) => name },
          {
            head: '',
            className: 'g-meter-cell',
            cell: ({ passed }) => <Meter parts={[{ share: hostCount === 0 ? 0 : passed / hostCount, tone: 'used' }]} />,
          },
          { head: 'left', isNumber: true, className: 'narrow', cell: ({ passed }) => formatCount(passed) },
          { head: 'refused', isNumber: true, className: 'narrow', cell: ({ rejected }) => formatSigned(-rejected) },
          {
            head: 'Reason',
            cell: ({ reasons }) => reasons.map(({ code, hosts }) => `${code} ${formatCount(hosts)}`).join(', '),
            title: ({ reasons }) => reasons[0] && reasonOfHosts(reasons[0]),
          },
        ]}
      />
    </section>
  )
}

/** The usage of each zone before and after the requests, by resource class. */
function Utilisation({ simulation }: { readonly simulation: Simulation }) {
  const rows = utilisationRows(simulation.utilisationBefore, simulation.utilisationAfter)
  if (rows.length === 0) return null
  return (
    <section aria-label="Utilisation">
      <Group justify="space-between" mt="sm">
        <Text component="h3" fw={600} size="sm">
          Usage by zone
        </Text>
        <Text size="xs" c="dimmed" aria-hidden className="g-meter-key">
          <i data-tone="used" /> before <i data-tone="claimed" /> taken by this request
        </Text>
      </Group>
      <SmallTable
        label="Usage by zone, before and after"
        maxHeight="360px"
        rows={rows}
        rowKey={({ zone, resourceClass }) => `${zone} ${resourceClass}`}
        rowAttributes={({ zone, resourceClass }) => ({ 'data-zone': zone, 'data-class': resourceClass })}
        columns={[
          { head: 'Zone', cell: ({ zone }) => zone },
          { head: 'Class', cell: ({ resourceClass }) => resourceClass },
          {
            head: '',
            className: 'g-meter-cell',
            cell: ({ capacity, before, after }) => (
              <Meter
                parts={[
                  { share: before / capacity, tone: 'used' },
                  { share: (after - before) / capacity, tone: 'claimed' },
                ]}
              />
            ),
          },
          { head: 'before', isNumber: true, cell: ({ capacity, before }) => formatPercent((100 * before) / capacity) },
          { head: 'after', isNumber: true, cell: ({ capacity, after }) => formatPercent((100 * after) / capacity) },
          {
            head: 'free after',
            isNumber: true,
            cell: ({ resourceClass, capacity, after }) => formatAmount(resourceClass, capacity - after),
            title: ({ capacity, after }) => formatCount(capacity - after),
          },
        ]}
      />
    </section>
  )
}
