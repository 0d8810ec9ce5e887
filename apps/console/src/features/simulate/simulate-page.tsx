import { Alert, Button, Code, Group, NativeSelect, Skeleton, Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { queryClient, useOperation } from '../../lib/api.ts'
import { nameOfMoment, useAt } from '../../lib/travel.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { CapacityPanel } from './capacity-panel.tsx'
import { ASKED, PROFILES } from './documents.ts'
import { Outcome } from './outcome.tsx'
import { OverlayEditor } from './overlay-editor.tsx'
import { Amount, RequestForm } from './request-form.tsx'
import { EMPTY, isRecord, type Scenario, withoutDefaults } from './scenario.ts'
import { type SimulateSearch, scenarioOf, searchOf } from './search.ts'
import './simulate.css'

const route = getRouteApi('/simulate')

/** What would become of a request, on the fleet as it is or as it is not. The scenario is the address; nothing is claimed. */
export function SimulatePage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { request, decision } = search
  const isNamed = request === undefined && search.input === undefined && decision !== undefined
  const asked = useOperation(ASKED, { id: decision ?? '' }, { enabled: isNamed, staleMs: Number.POSITIVE_INFINITY })
  const document = isNamed ? asked.data?.decision?.spec.document : undefined
  const { scenario, problem } = useMemo(
    () => scenarioOf(search, isRecord(document) ? withoutDefaults(document) : undefined),
    [search, document],
  )
  const [runs, setRuns] = useState(0)
  const run = (next: Scenario): void => {
    const { as } = search
    void navigate({ search: { ...searchOf(next), ...(as === undefined ? {} : { as }) } })
    void queryClient.resetQueries({ queryKey: ['Simulate'] })
    void queryClient.resetQueries({ queryKey: ['Capacity'] })
    setRuns(runs + 1)
  }
  return (
    <Page title="Simulate" aside={scenario === undefined ? null : <CopyButton text={location.href}>Copy link</CopyButton>}>
      <div className="simulate">
        <Editor
          scenario={scenario}
          view={search.as ?? 'form'}
          onView={(as) => void navigate({ search: viewed(search, as), replace: true })}
          onRun={run}
        />
        <Stack gap="md" component="section" aria-label="Result">
          {problem === undefined ? null : (
            <Alert color="red" title="The link is not whole" role="alert">
              {problem}
            </Alert>
          )}
          {asked.error ? <Problem error={asked.error} onRetry={() => void asked.refetch()} /> : null}
          {isNamed && asked.data?.decision === null ? (
            <Empty title="There is no such decision">
              No decision has the id <Code>{decision}</Code>, so there is no request to ask again.
            </Empty>
          ) : isNamed && asked.isLoading ? (
            <Skeleton height={120} role="status" aria-label="The request is being loaded" />
          ) : scenario !== undefined ? (
            <>
              <Outcome key={`outcome ${runs}`} scenario={scenario} />
              <CapacityPanel key={`capacity ${runs}`} scenario={scenario} />
            </>
          ) : problem === undefined ? (
            <Empty title="Nothing is asked yet">
              Say what is to be placed, and on what fleet; then run it. It is decided as a real request is, and nothing is claimed.
            </Empty>
          ) : null}
        </Stack>
      </div>
    </Page>
  )
}

const viewed = ({ as: _as, ...rest }: SimulateSearch, as: 'form' | 'json'): SimulateSearch => (as === 'json' ? { ...rest, as } : rest)

interface EditorProps {
  readonly scenario: Scenario | undefined
  readonly view: 'form' | 'json'
  onView(view: 'form' | 'json'): void
  onRun(scenario: Scenario): void
}

/** The scenario as it is being written; it becomes the address when it is run. */
function Editor({ scenario, view, onView, onRun }: EditorProps) {
  const at = useAt()
  const [draft, setDraft] = useState(scenario ?? { ...EMPTY, at })
  const [isInvalid, setInvalid] = useState(false)
  // fields that keep their own text begin anew when the scenario comes from elsewhere: by Back, a link, a decision that was loaded
  const [epoch, setEpoch] = useState(0)
  const written = useRef('')
  const read = useRef(scenario)
  const text = JSON.stringify(scenario)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another address counts
  useEffect(() => {
    // another moment alone leaves what is being written
    if (scenario === undefined) change({ at })
    else if (text === written.current || text === JSON.stringify({ ...read.current, at: scenario.at })) change({ at: scenario.at })
    else {
      setDraft(scenario)
      setInvalid(false)
      setEpoch((before) => before + 1)
    }
    read.current = scenario
  }, [text, at])
  const { data } = useOperation(PROFILES, {}, { staleMs: 60_000 })
  const names = (data?.profiles ?? []).map(({ name }) => name)
  const change = (next: Partial<Scenario>): void => setDraft({ ...draft, ...next })
  const run = (): void => {
    if (isInvalid) return
    written.current = JSON.stringify(draft)
    onRun(draft)
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    run()
  }
  return (
    <Stack gap="md" onKeyDown={press} component="section" aria-label="Scenario">
      <RequestForm
        key={`request ${epoch}`}
        request={draft.request}
        view={view}
        onView={onView}
        onChange={(request) => change({ request })}
        onInvalid={setInvalid}
      />
      <div className="simulate-fields">
        <Amount label="How often" value={draft.count} onChange={(count) => change({ count: Math.min(9_999, Math.max(1, count)) })} />
        <NativeSelect
          size="xs"
          className="simulate-wide"
          label="Profile"
          value={draft.profile ?? ''}
          data={[
            { value: '', label: 'the default one' },
            ...[...new Set([...names, ...(draft.profile === undefined ? [] : [draft.profile])])].map((value) => ({ value, label: value })),
          ]}
          onChange={({ currentTarget: { value } }) => change({ profile: value === '' ? undefined : value })}
        />
      </div>
      {draft.profileChanges === undefined ? null : (
        <Group gap="xs" justify="space-between">
          <Text size="sm">
            With another profile: <Code>{JSON.stringify(draft.profileChanges)}</Code>
          </Text>
          <Button size="compact-xs" variant="subtle" onClick={() => change({ profileChanges: undefined })}>
            Take back
          </Button>
        </Group>
      )}
      {draft.at === undefined ? null : (
        <Group gap="xs" justify="space-between">
          <Text size="sm">On the fleet as it was at {nameOfMoment(draft.at)}</Text>
          <Button size="compact-xs" variant="subtle" onClick={() => change({ at: undefined })}>
            As it is now
          </Button>
        </Group>
      )}
      <OverlayEditor overlay={draft.overlay} onChange={(overlay) => change({ overlay })} />
      <Group gap="sm">
        <Button onClick={run} disabled={isInvalid} title="Ctrl Enter">
          Run
        </Button>
        <Text size="xs" c="dimmed">
          Ctrl Enter. Nothing is claimed.
        </Text>
      </Group>
    </Stack>
  )
}
