import { Button, Table, Text } from '@mantine/core'
import { formatCount } from '../../lib/format.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { ChangePlaces } from './change-places.tsx'
import { countHosts } from './facts.ts'
import type { FITTING } from './fitting-documents.ts'
import { nameOfHost } from './names.ts'

type Answer = ResultOf<typeof FITTING>['whatWouldFit']

const kinds: Readonly<Record<string, string>> = { REQUEST: 'request', FLEET: 'fleet', POLICY: 'policy' }

/** What was found, smallest effort first; each with where it is tried and where it is done. */
export function FittingFound({ answer, onOpen }: { readonly answer: Answer; onOpen(host: string): void }) {
  const { headline, counterfactuals, cause, tried, cut } = answer
  const nearest = cause?.hostName == null ? null : nameOfHost({ hostName: cause.hostName, node: cause.node ?? cause.hostName })
  return (
    <div data-fitting={counterfactuals.length}>
      <Text role="status">{headline}</Text>
      {counterfactuals.length === 0 ? null : (
        <ScrollBox label="Changes that make it fit">
          <Table verticalSpacing={3} className="fitting">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Of</Table.Th>
                <Table.Th>Change</Table.Th>
                <Table.Th className="number">effort</Table.Th>
                <Table.Th>hosts that pass then</Table.Th>
                <Table.Th>tried</Table.Th>
                <Table.Th>
                  <span className="dimmed">what then?</span>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {counterfactuals.map(({ kind, text, effort, unlocks, verified, exampleHosts, simulation, changes }) => (
                <Table.Tr key={text} data-counterfactual={kind} data-verified={verified}>
                  <Table.Td>{kinds[kind] ?? kind.toLowerCase()}</Table.Td>
                  <Table.Td className="fitting-text">{text}</Table.Td>
                  <Table.Td className="number">{Number(effort.toPrecision(3))}</Table.Td>
                  <Table.Td title={exampleHosts.map(nameOfHost).join(', ')}>
                    {countHosts(unlocks)}
                    {exampleHosts[0] === undefined ? '' : `: ${nameOfHost(exampleHosts[0])}${unlocks > 1 ? ', …' : ''}`}
                  </Table.Td>
                  <Table.Td>{verified ? '+ placed' : 'not tried'}</Table.Td>
                  <Table.Td>
                    <AnchorLink size="sm" to="/simulate" search={{ input: JSON.stringify(simulation) }} aria-label={`Simulate: ${text}`}>
                      Simulate
                    </AnchorLink>
                    <ChangePlaces changes={changes} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollBox>
      )}
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
        {cut === null ? 'That is everything within the limits.' : 'There was no time to try everything: there may be more.'}
      </Text>
    </div>
  )
}
