import { Stack, Text } from '@mantine/core'
import { formatAmount, formatCount } from '../../../lib/format.ts'
import { hostLabel, labelOfHost } from '../../../lib/host-label.ts'
import { useOperation } from '../../../lib/service/api.ts'
import { Age } from '../../../ui/age.tsx'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import { PanelHead, PanelLoading } from '../../../ui/dialog/side-panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { HOST } from '../documents.ts'
import { type HostDetail, UsageMeter } from '../host-usage.tsx'
import { HostDecisions } from './host-claims.tsx'
import { HostFacts } from './host-facts.tsx'
import '../hosts.css'
import { Stale } from '../../../ui/stale.tsx'
import { SmallTable } from '../../../ui/table/small-table.tsx'

const REFRESH_MS = 5_000

/** A host in the side panel: the facts that decide whether the host can get another instance. */
export function HostPanel({ host: askedHost, node: askedNode }: { readonly host: string; readonly node: string }) {
  const asked = { host: askedHost, node: askedNode === askedHost ? null : askedNode }
  const { data, error, refetch, dataUpdatedAt } = useOperation(HOST, asked, { keepPrevious: false, everyMs: REFRESH_MS })
  const host = data?.host
  if (data === undefined) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <PanelLoading />
  if (host == null) return <Text size="sm">No host named {hostLabel({ host: asked.host, node: askedNode })} has reported.</Text>
  // the host was possibly found by a former name, so the links use its present name
  const { name, node } = host
  const sheet = { params: { host: name }, search: { ...(node === name ? {} : { node }), sheet: 'claims' as const } }
  return (
    <Stale error={error} atMs={dataUpdatedAt} everyMs={REFRESH_MS}>
      <Stack gap="sm">
        <div>
          <PanelHead>
            <AnchorLink to="/hosts/$host" params={{ host: name }} search={node === name ? {} : { node }} size="sm">
              {labelOfHost(host)}
            </AnchorLink>
          </PanelHead>
          <HostFacts host={host} />
        </div>
        {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
        {host.gone === null ? null : (
          <Text size="sm" role="status">
            This host was forgotten <Age atMs={Date.parse(host.gone.at)} ago />: “{host.gone.reason}”.
          </Text>
        )}
        {host.gone === null ? <Room capacity={host.capacity} /> : null}
        <Text size="sm">
          <AnchorLink to="/hosts/$host" {...sheet} size="sm">
            {formatCount(host.claims.totalCount)} live {host.claims.totalCount === 1 ? 'claim' : 'claims'}
          </AnchorLink>
          {host.numa === null ? '' : `, ${formatCount(host.numa.cells.length)} NUMA cells`}
          {host.gpus.length === 0 ? '' : `, ${formatCount(host.gpus.length)} GPUs`}
          {host.pciPools.length === 0 ? '' : `, ${formatCount(host.pciPools.length)} PCI device pools`}
          {`, ${formatCount(host.traits.length)} traits`}
        </Text>
        <HostDecisions host={host.name} decisions={host.recentDecisions} />
      </Stack>
    </Stale>
  )
}

/** The free amount and the capacity of each class, and the bar of its used and claimed shares. */
function Room({ capacity }: { readonly capacity: HostDetail['capacity'] }) {
  return (
    <SmallTable
      label="Capacity by resource class"
      isBare
      rows={capacity}
      rowKey={({ resourceClass }) => resourceClass}
      columns={[
        { head: 'Class', isRowHead: true, cell: ({ resourceClass }) => resourceClass },
        {
          head: 'Free',
          isNumber: true,
          cell: (usage) => `${formatAmount(usage.resourceClass, usage.free)} of ${formatAmount(usage.resourceClass, usage.capacity)}`,
        },
        { head: 'Taken', cell: (usage) => <UsageMeter usage={usage} /> },
      ]}
    />
  )
}
