import { Skeleton, Text } from '@mantine/core'
import { formatCount, formatTime, titleOfTime, useTimeZone } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/service/api.ts'
import { FieldChanges } from '../../../ui/field-changes.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { LAST_INVENTORY } from './timeline.ts'

const REFRESH_MS = 15_000

/** The differences between the last two inventories that the host reported. */
export function InventoryChange({ host, node }: { readonly host: string; readonly node: string }) {
  const zone = useTimeZone()
  const { data, error, refetch } = useOperation(LAST_INVENTORY, { host, node }, { everyMs: REFRESH_MS })
  if (data === undefined)
    return error === null ? (
      <Skeleton height={48} role="status" aria-label="The last inventory change is being loaded" />
    ) : (
      <Problem error={error} onRetry={() => void refetch()} />
    )
  const { nodes = [], since = null } = data.host?.timeline ?? {}
  const [last] = nodes
  if (last === undefined)
    return (
      <Text size="sm" c="dimmed">
        Its inventory is unchanged since{' '}
        {since === null ? 'its first report' : `${formatTime(since.at, zone)}; earlier inventories are not kept`}.
      </Text>
    )
  return (
    <div>
      <Text size="sm" title={titleOfTime(last.at)}>
        Its inventory changed last at {formatTime(last.at, zone)}; changes of use are left out.
      </Text>
      <FieldChanges label="Last inventory change" changes={last.changes} sides={['Before', 'Since then']} />
      {last.changesLeftOut === 0 ? null : <Text size="sm">And {formatCount(last.changesLeftOut)} more, which are not kept.</Text>}
    </div>
  )
}
