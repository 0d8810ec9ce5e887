import { Alert, Badge, Button, Code, Group, Skeleton, Stack, Tabs, Text, Tooltip } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { request, useOperation } from '../../lib/api.ts'
import { formatMib, formatTime, titleOfTime, useTimeZone } from '../../lib/format.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Destinations } from './destinations.tsx'
import { DECISION, EXPLANATION, TICKET } from './documents.ts'
import { FilterFunnel } from './filter-funnel.tsx'
import { HostMatrix } from './host-matrix.tsx'
import { readMatrix, type Selection } from './matrix.ts'
import { NearMisses } from './near-misses.tsx'
import { Outcome } from './outcome.tsx'
import type { DecisionSearch } from './search.ts'
import { WeighTable } from './weigh-table.tsx'
import { WhyNot } from './why-not.tsx'
import './decisions.css'

const route = getRouteApi('/decisions/$id')

type Decision = NonNullable<ResultOf<typeof DECISION>['decision']>

/** One decision, from the sentence to the last number. */
export function DecisionPage() {
  const { id } = route.useParams()
  const { data, error, refetch } = useOperation(DECISION, { id }, { keepPrevious: false })
  if (error) return <Page title="Decision">{<Problem error={error} onRetry={() => void refetch()} />}</Page>
  if (data === undefined)
    return (
      <Page title="Decision">
        <Skeleton height={240} role="status" aria-label="The decision is being loaded" />
      </Page>
    )
  if (data.decision === null)
    return (
      <Page title="Decision">
        <Empty title="There is no such decision">
          No decision has the id <Code>{id}</Code>. It may never have been made, or its record is not kept any more.
        </Empty>
      </Page>
    )
  return <Explained decision={data.decision} />
}

function Explained({ decision }: { readonly decision: Decision }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const count = decision.spec.numInstances
  const chosen = search.instance === undefined ? null : Math.min(Number(search.instance), count) - 1
  const { data, error, refetch, isPlaceholderData } = useOperation(EXPLANATION, { id: decision.id, instance: chosen }, { staleMs: 60_000 })
  const explained = data?.explainPlacement
  const matrix = useMemo(() => (explained === undefined ? undefined : readMatrix(explained.matrix)), [explained])
  const asked = useMemo(() => (explained?.steps ?? []).filter(({ skippedBecause }) => skippedBecause === null), [explained])
  const { filter, reason, sole, combo, passed, find } = search
  const selection = useMemo((): Selection => ({ filter, reason, sole, combo, passed, find }), [filter, reason, sole, combo, passed, find])

  const go = (
    change: { readonly [name in keyof DecisionSearch]: DecisionSearch[name] | undefined },
    how: 'typing' | 'applied' = 'applied',
  ): void =>
    void navigate({
      search: (before) => Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== undefined)),
      replace: how === 'typing',
      resetScroll: false,
    })
  const select = (next: Selection): void =>
    go({ filter: undefined, reason: undefined, sole: undefined, combo: undefined, passed: undefined, find, ...(next as DecisionSearch) })
  const open = (host: string | undefined): void => go({ host })

  return (
    <Page title={titleOf(decision)} aside={<Copies decision={decision} instance={chosen} />}>
      <Stack gap="md">
        <Header decision={decision} fidelity={explained?.fidelity} />
        {count > 1 ? (
          <Tabs
            value={String((explained?.instanceIndex ?? chosen ?? 0) + 1)}
            onChange={(next) => go({ instance: next ?? undefined, host: undefined })}
          >
            <Tabs.List aria-label="Instances">
              {instancesOf(count).map((name) => (
                <Tabs.Tab key={name} value={name}>
                  {name}
                </Tabs.Tab>
              ))}
            </Tabs.List>
          </Tabs>
        ) : null}
        {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
        {explained === undefined || matrix === undefined ? (
          error ? null : (
            <Skeleton height={320} role="status" aria-label="The decision is being made again" />
          )
        ) : (
          <div className={isPlaceholderData ? 'stale' : undefined}>
            <Stack gap="md">
              <Text size="lg" data-headline>
                {explained.headline}
              </Text>
              {explained.fidelity === 'APPROXIMATE' ? (
                <Alert color="yellow" title="Approximate">
                  The decision could not be made again bit for bit: its state or its release is gone. What is shown is near it, not it.
                </Alert>
              ) : null}
              <FilterFunnel hostCount={explained.hostCount} steps={explained.steps} selection={selection} onSelect={select} />
              <WhyNot decisionId={decision.id} instance={chosen} host={search.host} onAsk={open} />
              <HostMatrix
                matrix={matrix}
                asked={asked}
                selection={selection}
                sort={search.sort ?? 'distance'}
                all={search.all === 'yes'}
                host={search.host}
                onSelect={select}
                onFind={(text) => go({ find: text === '' ? undefined : text }, 'typing')}
                onSort={(sort) => go({ sort: sort === 'distance' ? undefined : sort })}
                onAll={(all) => go({ all: all ? 'yes' : undefined, ...(all ? {} : { combo: undefined }) })}
                onOpen={open}
              />
              <NearMisses misses={explained.nearMisses} onOpen={open} />
              <WeighTable
                decisionId={decision.id}
                instance={chosen}
                note={explained.selection.text}
                pin={search.pin}
                onPin={(pin) => go({ pin })}
                onOpen={open}
              />
            </Stack>
          </div>
        )}
        <Destinations destinations={decision.destinations} />
        <RequestDocument document={decision.spec.document} />
      </Stack>
    </Page>
  )
}

/** Tabs for so many; further ones are reached by the address. */
const MAX_TABS = 50

const instancesOf = (count: number): string[] => Array.from({ length: Math.min(count, MAX_TABS) }, (_, i) => String(i + 1))

const titleOf = ({ spec: { flavorName, numInstances, vcpus, memoryMb } }: Decision): string =>
  `${flavorName ?? `${vcpus} vCPU, ${formatMib(memoryMb)}`}${numInstances > 1 ? ` × ${numInstances}` : ''}`

const fidelities: Readonly<Record<string, string>> = {
  RECORDED: 'As it was kept when it was decided.',
  REPLAYED: 'Made again from its record, bit for bit, on the state of its revision.',
  APPROXIMATE: 'Made by other code or on another state than it was decided on.',
}

function Header({ decision, fidelity }: { readonly decision: Decision; readonly fidelity: string | undefined }) {
  const zone = useTimeZone()
  const { outcome, at, attempt, account, fleetRevision, profile, spec } = decision
  const { vcpus, memoryMb, diskGb, availabilityZone, projectId } = spec
  return (
    <Group gap="sm">
      <Outcome outcome={outcome} />
      <Text size="sm" title={titleOfTime(at)}>
        {formatTime(at, zone)}
      </Text>
      <Text size="sm">
        {vcpus} vCPU, <span title={`${memoryMb} MiB`}>{formatMib(memoryMb)}</span>, {diskGb} GiB disk
      </Text>
      {availabilityZone === null ? null : <Text size="sm">zone {availabilityZone}</Text>}
      {projectId === null ? null : <Text size="sm">project {projectId}</Text>}
      <Text size="sm">asked by {account}</Text>
      {attempt > 1 ? <Text size="sm">decided {attempt} times</Text> : null}
      <Text size="sm">profile {profile === null ? 'unknown here' : `${profile.profileName}@${profile.number}`}</Text>
      <Text size="sm">revision {fleetRevision}</Text>
      {fidelity === undefined ? null : (
        <Tooltip label={fidelities[fidelity] ?? fidelity}>
          <Badge variant="outline" color="gray" tabIndex={0} tt="none">
            {fidelity.toLowerCase()}
          </Badge>
        </Tooltip>
      )}
    </Group>
  )
}

/** The ways to take a decision along. The ticket's text is the service's own. */
function Copies({ decision, instance }: { readonly decision: Decision; readonly instance: number | null }) {
  const [ticket, setTicket] = useState<'idle' | 'copied' | 'failed'>('idle')
  const copyTicket = async (): Promise<void> => {
    try {
      const { explainPlacement } = await request(TICKET, { id: decision.id, instance })
      await navigator.clipboard.writeText(`${explainPlacement.text}\n\n${location.href}\n`)
      setTicket('copied')
    } catch {
      setTicket('failed')
    }
    setTimeout(() => setTicket('idle'), 2_000)
  }
  return (
    <>
      <Button size="compact-sm" variant="outline" onClick={() => void copyTicket()}>
        <span aria-live="polite">{{ idle: 'Copy for a ticket', copied: 'Copied', failed: 'Could not copy' }[ticket]}</span>
      </Button>
      <CopyButton text={location.href}>Copy link</CopyButton>
      <CopyButton text={`gantt explain ${decision.id}`}>Copy as command</CopyButton>
    </>
  )
}

function RequestDocument({ document }: { readonly document: unknown }) {
  return (
    <details>
      <summary>The request as it was asked</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre className="request mono" tabIndex={0}>
        {JSON.stringify(document, null, 2)}
      </pre>
    </details>
  )
}
