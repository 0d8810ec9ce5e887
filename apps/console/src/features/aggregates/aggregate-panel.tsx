import { withTerm } from '@gantt/scheduler-core/query'
import { Code, Stack, Text } from '@mantine/core'
import { formatCount, formatTime, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { useOperation } from '../../lib/service/api.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { PanelHead, PanelLoading } from '../../ui/dialog/side-panel.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Stale } from '../../ui/stale.tsx'
import { AggregateMetadata } from './aggregate-metadata.tsx'
import { AGGREGATE } from './documents.ts'
import { REFRESH_MS, useRefresh } from './use-refresh.ts'

/** An aggregate in the side panel: the count of its hosts, and which filters and weighers read its metadata. */
export function AggregatePanel({ uuid }: { readonly uuid: string }) {
  const zone = useTimeZone()
  const { data, error, refetch, dataUpdatedAt } = useOperation(AGGREGATE, { uuid }, { keepPrevious: false })
  useRefresh(refetch)
  if (data === undefined) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <PanelLoading />
  const { aggregate } = data
  if (aggregate === null)
    return (
      <Text size="sm">
        No aggregate has the uuid <Code>{uuid}</Code>; it may have been deleted.
      </Text>
    )
  const { name, availabilityZone, hostNames, metadata, version, updatedAt } = aggregate
  return (
    <Stale error={error} atMs={dataUpdatedAt} everyMs={REFRESH_MS}>
      <Stack gap="sm">
        <PanelHead>
          <AnchorLink to="/aggregates/$uuid" params={{ uuid }} size="sm">
            {name}
          </AnchorLink>
        </PanelHead>
        <Text size="sm">
          <AnchorLink to="/hosts" search={{ q: withTerm('', 'agg', name) }} size="sm">
            {formatCount(hostNames.length)} {hostNames.length === 1 ? 'host' : 'hosts'}
          </AnchorLink>
          , {availabilityZone === null ? 'no zone' : `zone ${availabilityZone}`}, version {version},{' '}
          <span title={titleOfTime(updatedAt)}>edited {formatTime(updatedAt, zone)}</span>
        </Text>
        <AggregateMetadata metadata={metadata} />
      </Stack>
    </Stale>
  )
}
