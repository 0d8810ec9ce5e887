import { withTerm } from '@gantt/scheduler-core/query'
import { Alert, Badge, Group, Skeleton, Stack, Tabs, Text } from '@mantine/core'
import { getRouteApi, Link, Navigate } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { useShortcuts } from '../../../lib/browser/keys.ts'
import { useNeighbourKeys } from '../../../lib/browser/present-list.ts'
import { commandOf } from '../../../lib/copies.ts'
import { formatCount, formatTime, titleOfTime, useTimeZone } from '../../../lib/format.ts'
import { labelOfHost } from '../../../lib/host-label.ts'
import { useOperation } from '../../../lib/service/api.ts'
import { useLive } from '../../../lib/service/live.ts'
import { useAt } from '../../../lib/service/travel.ts'
import { quoteForShell } from '../../../lib/shell.ts'
import { CopyAs } from '../../../ui/copy-as.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Json } from '../../../ui/json.tsx'
import { LiveBadge, Page } from '../../../ui/page.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { HostActions } from '../actions/host-actions.tsx'
import { HOST, HOST_CHANGED } from '../documents.ts'
import { keyOf, readHostName } from '../host-row.ts'
import { type HostDetail, HostUsage } from '../host-usage.tsx'
import { type HostSheet, readHostSearch } from '../search.ts'
import { HostTimeline } from '../timeline/host-timeline.tsx'
import { HostClaims, HostDecisions } from './host-claims.tsx'
import { HostFacts } from './host-facts.tsx'
import { HostNamespace, UnsentNote, unsentNamespaces } from './host-namespaces.tsx'
import { HostGpus, HostNuma } from './host-numa.tsx'
import { HostPci } from './host-pci.tsx'
import { hostOfKey, keyOfHost, rememberOpened } from './opened-host.ts'
import '../hosts.css'
import { Stale } from '../../../ui/stale.tsx'

const route = getRouteApi('/hosts/$host')

/** Sections that are loaded separately, because few visits of the page need them. */
const DecisionsElsewhere = lazy(async () => ({ default: (await import('./decisions-elsewhere.tsx')).DecisionsElsewhere }))
const HostCollectors = lazy(async () => ({ default: (await import('./host-collectors.tsx')).HostCollectors }))
const HostForgotten = lazy(async () => ({ default: (await import('./host-forgotten.tsx')).HostForgotten }))
const CalledFormerly = lazy(async () => ({ default: (await import('./host-forgotten.tsx')).CalledFormerly }))
const NoHost = lazy(async () => ({ default: (await import('./host-forgotten.tsx')).NoHost }))
const InventoryChange = lazy(async () => ({ default: (await import('../timeline/inventory-change.tsx')).InventoryChange }))

/** The page of a host: inventory, claims and history. */
export function HostPage() {
  const { host: name } = route.useParams()
  const { node, sheet, kinds, formerly } = route.useSearch()
  const at = useAt()
  const [isPaused, setPaused] = useState(false)
  const { data, error, refetch, dataUpdatedAt, isPlaceholderData } = useOperation(HOST, { host: name, node: node ?? null })
  const host = data?.host
  const live = useHostChanges(name, host?.revision, !isPaused && host != null, () => void refetch({ cancelRefetch: false }))
  useNeighbours(name, host?.node ?? node ?? name)
  useShortcuts([{ keys: 'f', label: isPaused ? 'Follow changes' : 'Freeze: stop following changes', run: () => setPaused(!isPaused) }])

  const title = node === undefined || node === name ? name : `${name}/${node}`
  if (data === undefined)
    return (
      <Page title={title}>
        {error === null ? (
          <Skeleton height={320} aria-busy role="status" aria-label="The host is being loaded" />
        ) : (
          <Problem error={error} onRetry={() => void refetch()} />
        )}
      </Page>
    )
  if (host == null)
    return (
      <Page title={title}>
        <Suspense fallback={null}>
          <NoHost host={name} node={node} title={title} />
        </Suspense>
      </Page>
    )
  // the URL has a former name of the host, so redirect to the URL with the present name
  if (!isPlaceholderData && (host.name !== name || (node !== undefined && host.node !== node)))
    return (
      <Navigate
        to="/hosts/$host"
        params={{ host: host.name }}
        search={readHostSearch({ sheet, kinds, ...addressOf(host.name, host.node), formerly: title })}
        replace
      />
    )
  return (
    <Page
      title={labelOfHost(host)}
      aside={
        <>
          <Text size="xs" c="dimmed" component="span">
            as of revision {host.revision}
          </Text>
          <LiveBadge state={live} />
          <CopyAs
            call={{ document: HOST, variables: { host: host.name, node: host.node } }}
            items={[['Command line', () => commandShow(host, node, at)]]}
          />
        </>
      }
    >
      {live === 'lost' ? <FeedLost updatedAt={dataUpdatedAt} /> : null}
      {error === null ? null : <Problem error={error} onRetry={() => void refetch()} />}
      <Stale error={error} atMs={dataUpdatedAt} live={live} isFollowed={!isPaused} isOther={isPlaceholderData}>
        {formerly === undefined || !host.formerNames.includes(formerly) ? null : (
          <Suspense fallback={<Skeleton height={80} />}>
            <CalledFormerly key={formerly} host={host} formerly={formerly} scopes={data.viewer.scopes} onChanged={() => void refetch()} />
          </Suspense>
        )}
        <HostSheets host={host} sheet={sheet ?? 'summary'} scopes={data.viewer.scopes} onChanged={() => void refetch()} />
      </Stale>
    </Page>
  )
}

/** The command that shows the host, with its node if the name has several nodes. */
const commandShow = ({ name, node, hasOtherNodes }: HostDetail, asked: string | undefined, at: ReturnType<typeof useAt>): string =>
  commandOf(`gantt host show ${quoteForShell(name)}`, { node: asked ?? (hasOtherNodes ? node : null), at })

/** The `node` parameter in the URL of a host. Undefined if the node has the name of the host. */
const addressOf = (host: string, node: string): { readonly node: string | undefined } => ({ node: host === node ? undefined : node })

interface IdentityProps {
  readonly host: HostDetail
  readonly scopes: readonly string[]
  onChanged(): void
}

function HostSheets({ sheet, ...props }: IdentityProps & { readonly sheet: HostSheet | 'summary' }) {
  const { host } = props
  const isPast = useAt() !== undefined
  const navigate = route.useNavigate()
  const raw = JSON.stringify(host, null, 2)
  const open = (wanted: string | null): void =>
    void navigate({ search: ({ node, formerly }) => readHostSearch({ node, formerly, sheet: wanted }), resetScroll: false })
  const tabs = [
    { value: 'summary', label: 'Summary' },
    { value: 'claims', label: `Claims (${formatCount(host.claims.totalCount)})` },
    { value: 'decisions', label: `Decisions (${formatCount(host.recentDecisions.totalCount)})` },
    { value: 'timeline', label: 'Timeline' },
    { value: 'raw', label: 'Raw' },
  ]
  useShortcuts(tabs.map(({ value, label }, i) => ({ keys: `${i + 1}`, label: `Go to: ${label}`, run: () => open(value) })))
  return (
    <Stack gap="sm">
      <Identity {...props} />
      <Tabs value={sheet} onChange={open} keepMounted={false}>
        <Tabs.List>
          {tabs.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="summary" pt="sm">
          <Stack gap="md">
            {host.gone === null ? (
              <Section title="Usage">
                <HostUsage capacity={host.capacity} />
              </Section>
            ) : null}
            {host.numa === null ? null : (
              <Section title="NUMA cells">
                <HostNuma cells={host.numa.cells} pools={host.pciPools} />
              </Section>
            )}
            {host.gpus.length === 0 ? null : (
              <Section title="GPUs">
                <HostGpus gpus={host.gpus} />
              </Section>
            )}
            {host.pciPools.length === 0 ? null : (
              <Section title="PCI devices">
                <HostPci pools={host.pciPools} />
              </Section>
            )}
            {host.gone === null ? (
              <Section title="Traits">
                {host.traits.length === 0 ? (
                  <Text size="sm" c="dimmed">
                    The host reports no traits.
                  </Text>
                ) : (
                  <Group gap={6}>
                    {host.traits.map((trait) => (
                      <Badge key={trait} variant="outline" color="gray" tt="none">
                        {trait}
                      </Badge>
                    ))}
                  </Group>
                )}
              </Section>
            ) : (
              <Text size="sm" c="dimmed">
                The host no longer has capacity. Its history is under Timeline, Claims and Decisions.
              </Text>
            )}
            {host.collectors.length === 0 ? null : (
              <Section title="Collectors">
                <Suspense fallback={<Skeleton height={96} />}>
                  <HostCollectors collectors={host.collectors} />
                </Suspense>
              </Section>
            )}
            {host.namespaces.map((namespace) =>
              // the table shows the document of the namespace `collectors`, if it can be read
              namespace.namespace === 'collectors' && namespace.problem === null ? null : (
                <Section key={namespace.namespace} title={`${namespace.namespace} ${namespace.version}`}>
                  <HostNamespace
                    report={namespace}
                    collector={host.collectors.find((collector) => collector.namespace === namespace.namespace)}
                  />
                </Section>
              ),
            )}
            {unsentNamespaces(host).map((collector) => (
              <Section key={collector.namespace} title={collector.namespace}>
                <UnsentNote collector={collector} hasDocument={false} />
              </Section>
            ))}
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="claims" pt="sm">
          <HostClaims claims={host.claims} />
          {host.gone === null ? null : (
            <Link className="host-link" to="/claims" search={{ q: withTerm('', 'host', host.name) }}>
              Claims that ended
            </Link>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="decisions" pt="sm">
          <Stack gap="md">
            <HostDecisions host={host.name} decisions={host.recentDecisions} />
            {host.formerNames.length === 0 ? null : <FormerDecisions host={host} />}
            {isPast ? null : (
              <Suspense>
                <DecisionsElsewhere host={host.name} label={labelOfHost(host)} />
              </Suspense>
            )}
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="timeline" pt="sm">
          <HostTimeline
            host={host.name}
            node={host.node}
            revision={host.revision}
            state={host.state}
            status={host.status}
            goneMs={host.gone === null ? undefined : Date.parse(host.gone.at)}
          />
        </Tabs.Panel>
        <Tabs.Panel value="raw" pt="sm">
          <Stack gap="xs" align="stretch">
            <Suspense>
              <InventoryChange host={host.name} node={host.node} />
            </Suspense>
            <CopyButton text={raw} style={{ alignSelf: 'start' }}>
              Copy JSON
            </CopyButton>
            <Json text={raw} />
          </Stack>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}

/** The facts about a host, and the actions on it. */
function Identity({ host, scopes, onChanged }: IdentityProps) {
  const navigate = route.useNavigate()
  const { gone, warnings } = host
  return (
    <>
      {gone === null ? null : (
        <Suspense fallback={<Skeleton height={96} />}>
          <HostForgotten host={host} gone={gone} scopes={scopes} onChanged={onChanged} />
        </Suspense>
      )}
      <HostFacts host={host} />
      {gone === null ? (
        <HostActions
          host={host}
          scopes={scopes}
          onChanged={onChanged}
          onRenamed={({ name, node }) =>
            void navigate({
              params: { host: name },
              search: (before) =>
                readHostSearch({ ...before, ...addressOf(name, node), formerly: keyOf({ host: host.name, node: host.node }) }),
              replace: true,
            })
          }
        />
      ) : null}
      {warnings.map(({ code, subject, text }) => (
        <Alert key={`${code} ${subject}`} color="yellow" role="status" mt="xs" title={titles[code] ?? code}>
          {text}
        </Alert>
      ))}
    </>
  )
}

/** A link to the decisions that chose the host under any of its names. A decision contains the name that the host had at its time. */
function FormerDecisions({ host: { name, formerNames } }: { readonly host: HostDetail }) {
  const names = [...new Set([...formerNames.map((former) => readHostName(former).host), name])]
  return (
    <Text size="sm">
      Decisions made before this host was replaced contain its former name:{' '}
      <Link className="host-link" to="/decisions" search={{ q: names.reduce((text, one) => withTerm(text, 'host', one), '') }}>
        all decisions that chose it, under any of its names
      </Link>
    </Text>
  )
}

const titles: Readonly<Record<string, string>> = {
  'capacity.below_claims': 'The host has less than its claims hold',
  'use.below_claims': 'The report counts less than the claims of its instances',
  'use.beyond_memory': 'The report counts more huge pages than memory',
  'use.no_instances': 'The host does not list its instances',
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Text fw={600} component="h2" size="sm" mb={4}>
        {title}
      </Text>
      {children}
    </section>
  )
}

function FeedLost({ updatedAt }: { readonly updatedAt: number }) {
  const zone = useTimeZone()
  const at = new Date(updatedAt).toISOString()
  return (
    <Alert color="yellow" role="status" mb="sm" title="The feed is interrupted">
      <span title={titleOfTime(at)}>The data shown is from {formatTime(at, zone)}.</span> The console retries every few seconds.
    </Alert>
  )
}

const REFETCH_MS = 300

/** Reads the host again shortly after a change. Several changes in quick succession cause only one read. */
function useHostChanges(host: string, revision: string | undefined, enabled: boolean, refetch: () => void) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useLive(HOST_CHANGED, {
    enabled,
    variables: () => ({ host, after: revision ?? null }),
    onEvent() {
      if (timer.current !== undefined) return
      timer.current = setTimeout(() => {
        timer.current = undefined
        refetch()
      }, REFETCH_MS)
    },
  })
}

/**
 * The keys `[` and `]` open the previous and the next host of the list from which the page was opened. On return, the list has its cursor
 * on the last opened host.
 */
function useNeighbours(host: string, node: string): void {
  const navigate = route.useNavigate()
  useEffect(() => rememberOpened({ host, node }), [host, node])
  useNeighbourKeys('hosts', 'host', keyOfHost({ host, node }), (key) => {
    const next = hostOfKey(key)
    void navigate({
      to: '/hosts/$host',
      params: { host: next.host },
      search: ({ sheet, kinds }) => readHostSearch({ node: next.host === next.node ? undefined : next.node, sheet, kinds }),
      replace: true,
    })
  })
}
