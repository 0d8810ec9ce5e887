import { Skeleton, Table, Text } from '@mantine/core'
import { useOperation } from '../../lib/api.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { Heads } from '../../ui/heads.tsx'
import { Problem } from '../../ui/problem.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { SETTINGS } from './documents.ts'

type Setting = ResultOf<typeof SETTINGS>['settings'][number]

/** What the service is set to, and by what. Nothing of it can be changed from here: it is read at the start of a process. */
export function ServerSettings() {
  const { data, error, refetch } = useOperation(SETTINGS, {}, { staleMs: 60_000 })
  if (data === undefined)
    return error ? (
      <Problem error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton height={280} role="status" aria-label="Settings of the service are being loaded" />
    )
  const { health, settings } = data
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        Of the replica that answers, {health.replica}, release {health.version}; its log is kept by {health.engine}. They are read from its
        environment when it starts.
      </Text>
      <ScrollBox label="Settings of the service, by name">
        <Table verticalSpacing={3} aria-label="Settings of the service">
          <Heads names={['Setting', 'Value', 'From', 'What it does']} />
          <Table.Tbody>
            {settings.map((setting) => (
              <Table.Tr key={setting.name} data-setting={setting.name} data-source={setting.source}>
                <Table.Td className="mono">{setting.name}</Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{shownOf(setting)}</Table.Td>
                <Table.Td>{setting.source === 'ENVIRONMENT' ? 'environment' : 'default'}</Table.Td>
                <Table.Td>{setting.description}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollBox>
    </>
  )
}

function shownOf({ value, unit, isSecret, source }: Setting): string {
  if (isSecret) return source === 'ENVIRONMENT' ? 'set, and told to nobody' : 'not set'
  if (value === null) return 'not set'
  return unit === null ? value : `${value} ${unit}`
}
