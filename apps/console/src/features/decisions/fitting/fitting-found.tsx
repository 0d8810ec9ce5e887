import { Button, Text } from '@mantine/core'
import { formatCount, formatNumber } from '../../../lib/format.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import { SmallTable } from '../../../ui/table/small-table.tsx'
import { countHosts } from '../facts.ts'
import { nameOfHost, shownHost } from '../names.ts'
import { ChangePlaces } from './change-places.tsx'
import type { FITTING } from './fitting-documents.ts'

type Answer = ResultOf<typeof FITTING>['whatWouldFit']

const kinds: Readonly<Record<string, string>> = { REQUEST: 'request', FLEET: 'fleet', POLICY: 'policy' }

/** The found changes, smallest effort first, each with links to its simulation and to the page where it is made. */
export function FittingFound({ answer, onOpen }: { readonly answer: Answer; onOpen(host: string): void }) {
  const { headline, counterfactuals, cause, tried, cut } = answer
  const nearest = cause?.hostName == null ? null : nameOfHost({ hostName: cause.hostName, node: cause.node ?? cause.hostName })
  return (
    <div data-fitting={counterfactuals.length}>
      <Text role="status">{headline}</Text>
      <SmallTable
        label="Changes that make the request fit"
        attributes={{ className: 'fitting' }}
        rows={counterfactuals}
        rowKey={({ text }) => text}
        rowAttributes={({ kind, verified }) => ({ 'data-counterfactual': kind, 'data-verified': verified })}
        columns={[
          { head: 'Kind', className: 'narrow', cell: ({ kind }) => kinds[kind] ?? kind.toLowerCase() },
          { head: 'Change', cell: ({ text }) => text },
          { head: 'Effort', isNumber: true, className: 'narrow', cell: ({ effort }) => formatNumber(effort, 3) },
          {
            head: 'Hosts that would pass',
            className: 'narrow',
            cell: ({ unlocks, exampleHosts: [example] }) =>
              `${countHosts(unlocks)}${example === undefined ? '' : `: ${shownHost(example)}${unlocks > 1 ? ', …' : ''}`}`,
            title: ({ exampleHosts }) => exampleHosts.map(shownHost).join(', '),
          },
          { head: 'Result', className: 'narrow', cell: ({ verified }) => (verified ? '+ placed' : 'not tried') },
          {
            head: 'Try or apply',
            className: 'narrow',
            cell: ({ text, simulation, changes }) => (
              <>
                <AnchorLink size="sm" to="/simulate" search={{ input: JSON.stringify(simulation) }} aria-label={`Simulate: ${text}`}>
                  Simulate
                </AnchorLink>
                <ChangePlaces changes={changes} />
              </>
            ),
          },
        ]}
      />
      {cause === null || counterfactuals.length === 0 ? null : (
        <Text size="sm" data-cause={cause.code}>
          {cause.text}
        </Text>
      )}
      {nearest === null ? null : (
        <Button size="compact-xs" variant="subtle" onClick={() => onOpen(nearest)}>
          Why not {nearest}
        </Button>
      )}
      <Text size="xs" c="dimmed">
        {formatCount(tried)} decisions were tried.{' '}
        {cut === null
          ? 'All changes within the limits of the search were tried.'
          : `${cut === 'LIMIT' ? 'The search reached its limit of decisions or hosts' : 'The time ran out'} before all changes were tried, so other changes may make the request fit too.`}
      </Text>
    </div>
  )
}
