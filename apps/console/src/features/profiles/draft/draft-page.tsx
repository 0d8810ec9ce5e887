import { Alert, Button, Code, Group, Skeleton, Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useKeptDraft } from '../../../lib/browser/kept-draft.ts'
import { useOperation } from '../../../lib/service/api.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { useWritesOff } from '../../../lib/service/travel.ts'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Page } from '../../../ui/page.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { PARTS, PROFILE, VERSION } from '../documents.ts'
import { REFRESH_MS } from '../refresh.ts'
import { beginDraft, type ProfileDraft, readProfileDraft } from './draft.ts'
import { DraftEditor } from './draft-editor.tsx'
import '../profiles.css'
import './draft.css'

const route = getRouteApi('/profiles/$name/draft')

type Profile = NonNullable<ResultOf<typeof PROFILE>['profile']>

/** The page of a draft of a profile's next version, based on an existing version. */
export function DraftPage() {
  const { name } = route.useParams()
  const why = useWritesOff()
  const { data, error, refetch } = useOperation(PROFILE, { name }, { keepPrevious: false, everyMs: REFRESH_MS })
  const title = `The next version of ${name}`
  const back = (
    <AnchorLink size="sm" to="/profiles/$name" params={{ name }}>
      Back to {name}
    </AnchorLink>
  )
  if (why !== undefined)
    return (
      <Page title={title} aside={back}>
        <Empty title="Drafts cannot be edited while the console shows the past">{why} Your draft is kept.</Empty>
      </Page>
    )
  if (data === undefined)
    return (
      <Page title={title}>
        {error ? (
          <Problem error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton height={240} role="status" aria-label="The profile is being loaded" />
        )}
      </Page>
    )
  if (data.profile === null)
    return (
      <Page title={title}>
        <Empty title="Profile not found">
          No profile has the name <Code>{name}</Code>. <AnchorLink to="/profiles">Show all profiles</AnchorLink>.
        </Empty>
      </Page>
    )
  const { scopes } = data.viewer
  if (!scopes.includes('OPERATE') && !scopes.includes('ADMIN'))
    return (
      <Page title={title} aside={back}>
        <Empty title="Your key may not write versions">
          To draft and write them a key needs OPERATE; yours has {scopes.join(', ')}. A key with ADMIN can create such a key.
        </Empty>
      </Page>
    )
  return (
    <Page title={title} aside={back}>
      {/* after a failed read, the earlier data and the draft stay on the page */}
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
      <Draft key={name} profile={data.profile} />
    </Page>
  )
}

function Draft({ profile }: { readonly profile: Profile }) {
  const { from: asked } = route.useSearch()
  const navigate = route.useNavigate()
  const { name, active, versions, latest } = profile
  const { draft, keep } = useKeptDraft(`profile.${name}`, readProfileDraft)
  const from = asked === undefined ? (draft?.from ?? active.number) : Number(asked)
  const version = versions.nodes.find(({ number }) => number === from)
  const go = (): void => void navigate({ search: {}, replace: true })
  if (draft !== undefined && asked !== undefined && from !== draft.from)
    return (
      <Alert color="yellow" role="status" title={`There is already a draft that is based on version ${draft.from}`} data-kept={draft.from}>
        <Text size="sm">A profile has one draft at a time. The present draft is kept until it is saved as a version or discarded.</Text>
        <Group mt="xs">
          <Button size="compact-sm" onClick={go}>
            Continue with the draft
          </Button>
          <Button size="compact-sm" variant="outline" onClick={() => keep(undefined)}>
            Discard the draft and start from version {from}
          </Button>
        </Group>
      </Alert>
    )
  if (version === undefined)
    return (
      <Empty title="Version not found">
        {name} has no version <Code>{from}</Code>.
      </Empty>
    )
  return (
    <Begun
      key={version.id}
      {...{ name, draft, keep, latest }}
      id={version.id}
      active={active.number}
      onDiscard={() => {
        keep(undefined)
        void navigate({ to: '/profiles/$name', params: { name }, search: { version: String(from) } })
      }}
      onWritten={(number) => {
        keep(undefined)
        void navigate({ to: '/profiles/$name', params: { name }, search: { version: String(number) } })
      }}
    />
  )
}

interface BegunProps {
  readonly name: string
  /** The global id of the base version. */
  readonly id: string
  readonly active: number
  readonly latest: { readonly id: string; readonly number: number }
  /** The stored draft. Undefined before the first input. */
  readonly draft: ProfileDraft | undefined
  keep(draft: ProfileDraft): void
  onDiscard(): void
  onWritten(number: number): void
}

function Begun({ name, id, active, latest, draft, keep, onDiscard, onWritten }: BegunProps) {
  const { data, error, refetch } = useOperation(VERSION, { id }, { staleMs: 60_000 })
  const version = data?.node?.__typename === 'ProfileVersion' ? data.node : undefined
  const compat = draft?.compat ?? version?.compat ?? null
  const parts = useOperation(PARTS, { compat: compat === 'NOVA' ? compat : null }, { enabled: version !== undefined, staleMs: 60_000 })
  const problem = error ?? parts.error
  if (version === undefined || parts.data === undefined)
    return problem ? (
      <Problem
        error={problem}
        onRetry={() => {
          void refetch()
          void parts.refetch()
        }}
      />
    ) : (
      <Skeleton height={240} role="status" aria-label="The version is being loaded" />
    )
  const edited = draft ?? beginDraft(version, latest.number)
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        Made from {name}@{edited.from}. Versions are never edited: what is written here is the next one, and decides nothing before it is
        tried or activated.{compat === null ? '' : ' It decides as Nova does, including its surprising behaviour.'} The draft is kept in
        this tab.
      </Text>
      <DraftEditor {...{ name, active, latest, onDiscard, onWritten }} draft={edited} parts={parts.data.profileParts} onChange={keep} />
    </Stack>
  )
}
