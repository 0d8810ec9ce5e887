import { Skeleton, Table, Text } from '@mantine/core'
import { useOperation } from '../../lib/api.ts'
import { useScopes } from '../../lib/scopes.ts'
import { Age } from '../../ui/age.tsx'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { Heading } from '../../ui/heading.tsx'
import { Problem } from '../../ui/problem.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { CHANGES, CHANGES_QUERY } from './documents.ts'

const REFRESH_MS = 15_000

/** Who changed what last: the first thing to look at when numbers turned. */
export function Changes() {
  const { scopes, may, error: noScopes, retry } = useScopes()
  const mayRead = may('OPERATE')
  const { data, error, refetch } = useOperation(CHANGES, { query: CHANGES_QUERY }, { enabled: mayRead === true, everyMs: REFRESH_MS })
  const rows = data?.auditLog.nodes
  return (
    <section aria-label="What was changed last">
      <Heading keys="5">What was changed last</Heading>
      {noScopes ? <Problem error={noScopes} onRetry={retry} /> : null}
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
      {mayRead === false ? (
        <Text size="sm" c="dimmed">
          It stands in the audit, which a key needs OPERATE to read; yours has {scopes.join(', ')}.
        </Text>
      ) : rows === undefined ? (
        error || noScopes ? null : (
          <Skeleton height={48} role="status" aria-label="The audit is being read" />
        )
      ) : rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nobody changed anything yet.
        </Text>
      ) : (
        <ScrollBox label="The newest changes">
          <Table verticalSpacing={2}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>When</Table.Th>
                <Table.Th>Who</Table.Th>
                <Table.Th>What</Table.Th>
                <Table.Th>About</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(({ id, at, account, mutation, target }) => (
                <Table.Tr key={id} data-change={mutation}>
                  <Table.Td className="overview-narrow">
                    <AnchorLink size="sm" to="/hosts" search={{ at }} aria-label={`${mutation} of ${target}: the fleet as it was then`}>
                      <Age atMs={Date.parse(at)} ago />
                    </AnchorLink>
                  </Table.Td>
                  <Table.Td className="overview-narrow">{account}</Table.Td>
                  <Table.Td className="overview-narrow">{mutation}</Table.Td>
                  <Table.Td className="overview-text" title={target}>
                    {target}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollBox>
      )}
    </section>
  )
}
