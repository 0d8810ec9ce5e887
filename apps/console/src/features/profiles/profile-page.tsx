import { Code, Skeleton, Stack } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useShortcuts } from '../../lib/browser/keys.ts'
import { queryClient, useOperation } from '../../lib/service/api.ts'
import type { ResultOf } from '../../lib/service/graphql.ts'
import { useAt } from '../../lib/service/travel.ts'
import { quoteForShell } from '../../lib/shell.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { CopyAs } from '../../ui/copy-as.tsx'
import { WriteButton } from '../../ui/dialog/write-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import type { Step } from './course.ts'
import { PROFILE } from './documents.ts'
import { Evaluation } from './evaluation/evaluation.tsx'
import { History } from './history.tsx'
import { REFRESH_MS } from './refresh.ts'
import { RolloutPanel } from './rollout/rollout-panel.tsx'
import type { ProfileSearch } from './search.ts'
import { Steer } from './steer.tsx'
import { VersionDetail } from './version-detail.tsx'
import { VersionList } from './version-list.tsx'
import './profiles.css'
import { Stale } from '../../ui/stale.tsx'

const route = getRouteApi('/profiles/$name')

type Answer = ResultOf<typeof PROFILE>
type Profile = NonNullable<Answer['profile']>

/** The page of a profile: the active version, the rollout, the content of each version, and its evaluation. */
export function ProfilePage() {
  const { name } = route.useParams()
  const { data, error, refetch, dataUpdatedAt } = useOperation(PROFILE, { name }, { keepPrevious: false, everyMs: REFRESH_MS })
  if (data === undefined)
    return (
      <Page title="Profile">
        {error ? (
          <Problem error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton height={240} role="status" aria-label="The profile is being loaded" />
        )}
      </Page>
    )
  if (data.profile === null)
    return (
      <Page title="Profile">
        <Empty title="Profile not found">
          No profile has the name <Code>{name}</Code>. <AnchorLink to="/profiles">Show all profiles</AnchorLink>.
        </Empty>
      </Page>
    )
  return (
    <OneProfile
      key={name}
      profile={data.profile}
      scopes={data.viewer.scopes}
      error={error}
      readAtMs={dataUpdatedAt}
      onRetry={() => void refetch()}
    />
  )
}

interface OneProfileProps {
  readonly profile: Profile
  readonly scopes: readonly string[]
  /** The error of the last read. Earlier data stays on the page. */
  readonly error: unknown
  /** The time of the read, by the clock of this browser. */
  readonly readAtMs: number
  onRetry(): void
}

function OneProfile({ profile, scopes, error, readAtMs, onRetry }: OneProfileProps) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const moment = useAt()
  const [step, setStep] = useState<{ readonly step: Step; readonly number: number } | undefined>()
  const { name, active, rollout, versions } = profile
  const shown = Number(search.version ?? rollout?.candidate.number ?? active.number)
  const at = versions.nodes.findIndex(({ number }) => number === shown)
  const version = versions.nodes[at]
  const maySteer = scopes.includes('ADMIN')
  const mayDraft = maySteer || scopes.includes('OPERATE')
  const begin = (): void => void navigate({ to: '/profiles/$name/draft', params: { name }, search: { from: String(shown) } })
  const go = (next: ProfileSearch): void => void navigate({ search: next, replace: true, resetScroll: false })
  /** Changes the query parameters to another version. The comparison is removed, and the time range stays. */
  const show = (number: number): void => {
    const { check: _check, against: _against, ...rest } = search
    go({ ...rest, version: String(number) })
  }
  const move = (by: number): void => {
    const next = versions.nodes[at + by]
    if (next !== undefined) show(next.number)
  }
  // The list begins with the newest version, so the key j goes to an older version.
  useShortcuts([
    { keys: 'j', label: 'Next version in the list', run: () => move(-1) },
    { keys: 'k', label: 'Previous version in the list', run: () => move(1) },
    ...(mayDraft ? [{ keys: 'e', label: 'Draft the next version', isWrite: true, run: begin }] : []),
  ])

  return (
    <Page
      title={name}
      aside={
        <>
          <CopyAs
            call={{ document: PROFILE, variables: { name } }}
            // the command cannot show the past
            items={moment === undefined ? [['Command line', () => `gantt profile show ${quoteForShell(name)}`]] : []}
          />
          {mayDraft && version !== undefined ? (
            <WriteButton size="compact-sm" variant="outline" onClick={begin}>
              Draft from @{shown}
            </WriteButton>
          ) : null}
          {maySteer && (rollout !== null || versions.nodes.some(({ state }) => state === 'RETIRED' || state === 'ROLLED_BACK')) ? (
            <WriteButton
              size="compact-sm"
              variant="outline"
              color="red"
              onClick={() => setStep({ step: 'rollback', number: rollout?.candidate.number ?? active.number })}
            >
              Roll back
            </WriteButton>
          ) : null}
        </>
      }
    >
      {error ? <Problem error={error} onRetry={onRetry} /> : null}
      <Stale error={error} atMs={readAtMs} everyMs={REFRESH_MS}>
        <Stack gap="lg">
          <RolloutPanel profile={profile} />
          <div className="profile">
            <VersionList profile={profile} shown={shown} />
            {version === undefined ? (
              <Empty title="Version not found">
                {name} has no version <Code>{shown}</Code>.
              </Empty>
            ) : (
              <Stack gap="lg" style={{ minWidth: 0 }}>
                <VersionDetail
                  key={version.id}
                  id={version.id}
                  course={profile}
                  number={version.number}
                  scopes={scopes}
                  onStep={(next) => setStep({ step: next, number: version.number })}
                />
                <Evaluation key={version.number} profile={profile} number={version.number} search={search} onSearch={go} />
              </Stack>
            )}
          </div>
          <History name={name} />
        </Stack>
      </Stale>
      {step === undefined ? null : (
        <Steer
          {...step}
          name={name}
          course={profile}
          isUntried={versions.nodes.find(({ number }) => number === step.number)?.state === 'DRAFT'}
          onClose={() => setStep(undefined)}
          onDone={() => {
            setStep(undefined)
            void queryClient.invalidateQueries()
          }}
        />
      )}
    </Page>
  )
}
