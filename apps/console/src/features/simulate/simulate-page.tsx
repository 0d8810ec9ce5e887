import { Alert, Button, Code, Skeleton, Stack } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import { useShortcuts } from '../../lib/browser/keys.ts'
import { queryClient, useOperation } from '../../lib/service/api.ts'
import { useAt } from '../../lib/service/travel.ts'
import { CopyAs } from '../../ui/copy-as.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { scenariosOf, searchOf } from './address.ts'
import { ASKED } from './documents.ts'
import { Editor } from './editor/editor.tsx'
import { Results } from './results/results.tsx'
import { sizeOf } from './saved/saved.ts'
import { SavedDialog } from './saved/saved-dialog.tsx'
import { isRecord, type Scenario, withoutDefaults } from './scenario.ts'
import { ScenarioBar } from './scenario-bar.tsx'
import { changedAt } from './scenarios.ts'
import type { SimulateSearch } from './search.ts'
import { useDrafts } from './use-drafts.ts'
import { useRunKey } from './use-run-key.ts'
import './simulate.css'

const route = getRouteApi('/simulate')

/** A URL may have at most this many characters. If the URL were longer, the service would refuse the reload of the page. */
const MAX_LINK_CHARACTERS = 30_000

/**
 * The simulation of a request on the fleet or on a hypothetical fleet, with up to three scenarios next to each other. The URL contains the
 * scenarios. Nothing is claimed.
 */
export function SimulatePage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const at = useAt()
  const { scenarios, problem, decision } = useScenarios(search)
  const { drafts, epoch, change, take } = useDrafts(scenarios, at)
  const on = Math.min(Number(search.on ?? 1), drafts.length) - 1
  const edited = `${epoch} ${on}`
  /** The editor whose text is not a valid request. This editor must not be replaced, because its text would be lost. */
  const [invalid, setInvalid] = useState<string>()
  const isInvalid = invalid === edited
  const [isSaving, setSaving] = useState(false)
  const [runs, setRuns] = useState(0)
  const whyNot = isInvalid ? 'Not a valid request' : undefined

  /** Writes scenarios to the URL. Scenarios that have changed then run. */
  const go = (next: readonly Scenario[], index: number, isAnew: boolean): void => {
    take(next, isAnew)
    void navigate({ search: (now) => ({ ...searchOf(next), ...viewOf(now), on: onOf(index) }) })
  }
  const look = (view: Partial<SimulateSearch>, replace: boolean): void =>
    void navigate({ search: (now) => ({ ...now, ...view }), replace, resetScroll: false })
  const run = (): void => {
    if (isInvalid) return
    go(drafts, on, false)
    void queryClient.resetQueries({ queryKey: ['Simulate'] })
    void queryClient.resetQueries({ queryKey: ['Capacity'] })
    setRuns(runs + 1)
  }
  useRunKey(run)
  useShortcuts([{ keys: 'S', label: 'Saved scenarios', run: () => setSaving(true) }])
  const draft = drafts[on]
  return (
    <Page
      title="Simulate"
      aside={
        <>
          <Button size="compact-sm" variant="subtle" title="S" onClick={() => setSaving(true)}>
            Saved
          </Button>
          <CopyAs />
        </>
      }
    >
      <ScenarioBar
        scenarios={drafts}
        on={on}
        whyNot={whyNot}
        onChoose={(index) => look({ on: onOf(index) }, false)}
        onChange={(next, index) => go(next, index, true)}
        onName={(name) => go(changedAt(drafts, on, { name }), on, false)}
      />
      <div className="simulate">
        {draft === undefined ? null : (
          <Editor
            key={edited}
            draft={draft}
            view={search.as ?? 'form'}
            scenarioCount={drafts.length}
            isInvalid={isInvalid}
            onView={(as) => look({ as: as === 'json' ? as : undefined }, true)}
            onChange={(next) => change((before) => changedAt(before, on, next))}
            onInvalid={(is) => setInvalid(is ? edited : undefined)}
            onRun={run}
          />
        )}
        <Stack gap="md" component="section" aria-label="Result">
          {problem === undefined ? null : (
            <Alert color="red" title="The link is incomplete" role="alert">
              {problem}
            </Alert>
          )}
          <LongAddress scenarios={scenarios} />
          {scenarios.length > 0 ? (
            <Results
              key={runs}
              scenarios={scenarios}
              on={Math.min(on, scenarios.length - 1)}
              resourceClass={search.use}
              onResourceClass={(use) => look({ use }, true)}
            />
          ) : problem === undefined ? (
            (decision ?? (
              <Empty title="No result yet">
                Describe the request and the fleet, then run it. The request is decided like a real one, and nothing is claimed.
              </Empty>
            ))
          ) : null}
        </Stack>
      </div>
      {isSaving ? <SavedDialog scenarios={drafts} whyNot={whyNot} onClose={() => setSaving(false)} /> : null}
    </Page>
  )
}

/** Converts an index from 0 to the parameter `on`. */
const onOf = (index: number): SimulateSearch['on'] => (index === 0 ? undefined : index === 1 ? '2' : '3')

/** The parameters that stay the same when the scenarios change. */
const viewOf = ({ as, use }: SimulateSearch): SimulateSearch => ({
  ...(as === undefined ? {} : { as }),
  ...(use === undefined ? {} : { use }),
})

interface AddressFound extends ReturnType<typeof scenariosOf> {
  /** The loading state of the decision whose request is simulated. */
  readonly decision: ReactNode
}

/** The scenarios in the URL. If the URL names a decision, the request of the decision is loaded. */
function useScenarios(search: SimulateSearch): AddressFound {
  const { request, input, decision } = search
  const isNamed = request === undefined && input === undefined && decision !== undefined
  const asked = useOperation(ASKED, { id: decision ?? '' }, { enabled: isNamed, staleMs: Number.POSITIVE_INFINITY })
  const document = isNamed ? asked.data?.decision?.spec.document : undefined
  const found = useMemo(() => scenariosOf(search, isRecord(document) ? withoutDefaults(document) : undefined), [search, document])
  if (!isNamed) return { ...found, decision: undefined }
  if (asked.error) return { ...found, decision: <Problem error={asked.error} onRetry={() => void asked.refetch()} /> }
  if (asked.data?.decision === null)
    return {
      ...found,
      decision: (
        <Empty title="Decision not found">
          No decision has the id <Code>{decision}</Code>, so there is no request to simulate.
        </Empty>
      ),
    }
  return { ...found, decision: <Skeleton height={120} role="status" aria-label="The request is being loaded" /> }
}

function LongAddress({ scenarios }: { readonly scenarios: readonly Scenario[] }) {
  const size = useMemo(() => sizeOf(searchOf(scenarios)), [scenarios])
  if (size <= MAX_LINK_CHARACTERS) return null
  return (
    <Alert color="yellow" title="The link is too long" role="status" p="xs">
      It has {size} characters, and the service takes {MAX_LINK_CHARACTERS}: this page cannot be reloaded or shared. Shorten the request or
      remove scenarios.
    </Alert>
  )
}
