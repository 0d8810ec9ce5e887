import { Button, Text } from '@mantine/core'
import { formatCount, formatNumber } from '../../lib/format.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { SmallTable } from '../../ui/small-table.tsx'
import { ChangePlaces } from './change-places.tsx'
import { countHosts } from './facts.ts'
import type { FITTING } from './fitting-documents.ts'
import { nameOfHost } from './names.ts'

type Answer = ResultOf<typeof FITTING>['whatWouldFit']

const kinds: Readonly<Record<string, string>> = { REQUEST: 'request', FLEET: 'fleet', POLICY: 'policy' }

/** Findings, smallest effort first; each with where it is tried and where it is done. */
export function FittingFound({ answer, onOpen }: { readonly answer: Answer; onOpen(host: string): void }) {
  const { headline, counterfactuals, cause, tried, cut } = answer
  const nearest = cause?.hostName == null ? null : nameOfHost({ hostName: cause.hostName, node: cause.node ?? cause.hostName })
  return (
    <div data-fitting={counterfactuals.length}>
      <Text role="status">{headline}</Text>
      <SmallTable
        label="Changes that make it fit"
        attributes={{ className: 'fitting' }}
        rows={counterfactuals}
        rowKey={({ text }) => text}
        rowAttributes={({ kind, verified }) => ({ 'data-counterfactual': kind, 'data-verified': verified })}
        columns={[
          { head: 'Of', className: 'narrow', cell: ({ kind }) => kinds[kind] ?? kind.toLowerCase() },
          { head: 'Change', cell: ({ text }) => text },
          { head: 'effort', isNumber: true, className: 'narrow', cell: ({ effort }) => formatNumber(effort, 3) },
          {
            head: 'hosts that would pass',
            className: 'narrow',
            cell: ({ unlocks, exampleHosts: [example] }) =>
              `${countHosts(unlocks)}${example === undefined ? '' : `: ${nameOfHost(example)}${unlocks > 1 ? ', …' : ''}`}`,
            title: ({ exampleHosts }) => exampleHosts.map(nameOfHost).join(', '),
          },
          { head: 'tried', className: 'narrow', cell: ({ verified }) => (verified ? '+ placed' : 'not tried') },
          {
            head: <span className="dimmed">effect</span>,
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
        {cut === null ? 'That is everything within the limits.' : 'The time ran out before everything was tried: there may be more.'}
      </Text>
    </div>
  )
}
