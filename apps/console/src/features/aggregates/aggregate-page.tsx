import { Code, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect } from 'react'
import { handedHosts, takeHosts } from '../../lib/browser/handed-hosts.ts'
import { useKeptDraft } from '../../lib/browser/kept-draft.ts'
import { useShortcuts } from '../../lib/browser/keys.ts'
import { useNeighbourKeys } from '../../lib/browser/present-list.ts'
import { commandOf } from '../../lib/copies.ts'
import { formatTime, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { useOperation } from '../../lib/service/api.ts'
import { useAt } from '../../lib/service/travel.ts'
import { CopyAs } from '../../ui/copy-as.tsx'
import { WriteButton } from '../../ui/dialog/write-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Stale } from '../../ui/stale.tsx'
import { AggregateHistory } from './aggregate-history.tsx'
import { AggregateMembers } from './aggregate-members.tsx'
import { AggregateMetadata } from './aggregate-metadata.tsx'
import { AGGREGATE } from './documents.ts'
import { DeleteAggregate } from './edit/delete-aggregate.tsx'
import { beginDraft, changesNothing, readDraft, withHosts } from './edit/draft.ts'
import { EditAggregate } from './edit/edit-aggregate.tsx'
import { REFRESH_MS, useRefresh } from './use-refresh.ts'

const route = getRouteApi('/aggregates/$uuid')

/** The page of an aggregate: its members, its metadata, and the draft of an edit. */
export function AggregatePage() {
  const { uuid } = route.useParams()
  const navigate = route.useNavigate()
  useNeighbourKeys('aggregates', 'aggregate', uuid, (next) => {
    void navigate({ to: '/aggregates/$uuid', params: { uuid: next }, search: {}, replace: true })
  })
  // the state of this component belongs to one aggregate, so another aggregate gets a new component
  return <OneAggregate key={uuid} uuid={uuid} />
}

function OneAggregate({ uuid }: { readonly uuid: string }) {
  const { edit } = route.useSearch()
  const navigate = route.useNavigate()
  const zone = useTimeZone()
  const { data, error, refetch, dataUpdatedAt } = useOperation(AGGREGATE, { uuid }, { keepPrevious: false })
  const at = useAt()
  const isPast = at !== undefined
  const { draft, keep } = useKeptDraft(uuid, readDraft)
  const [isDeleting, deleting] = useDisclosure(false)
  const aggregate = data?.aggregate ?? undefined
  // A draft can only be edited in the present. While the page shows the past, the draft is stored but hidden.
  const isEditing = edit === 'yes' && !isPast

  // hosts that the operator selected on the hosts page are added to the draft before the operator edits it
  const handed = handedHosts(uuid)
  const isTaking = isEditing && handed.length > 0
  useEffect(() => {
    if (!isTaking || aggregate === undefined) return
    takeHosts(uuid)
    keep(withHosts(draft ?? beginDraft(aggregate), handed))
  }, [isTaking, aggregate, uuid, keep, draft, handed])

  useRefresh(refetch)
  const setEditing = (on: boolean): void => void navigate({ search: (before) => (on ? { ...before, edit: 'yes' } : withoutEdit(before)) })
  useShortcuts([{ keys: 'e', label: 'Edit the aggregate', isWrite: true, run: () => setEditing(true) }])

  if (data === undefined)
    return (
      <Page title="Aggregate">
        {error ? (
          <Problem error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton height={240} role="status" aria-label="The aggregate is being loaded" />
        )}
      </Page>
    )
  if (aggregate === undefined)
    return (
      <Page title="Aggregate">
        <Empty title="Aggregate not found">
          No aggregate has the uuid <Code>{uuid}</Code>; it may have been deleted.
        </Empty>
      </Page>
    )
  // a draft is stored only after its first change
  const edited = draft ?? beginDraft(aggregate)
  return (
    <Page
      title={aggregate.name}
      aside={
        <>
          <CopyAs
            call={{ document: AGGREGATE, variables: { uuid } }}
            items={[['Command line', () => commandOf(`gantt aggregates show ${uuid}`, { at })]]}
          />
          <WriteButton size="compact-sm" onClick={() => setEditing(true)} disabled={isEditing}>
            {changesNothing(edited) ? 'Edit' : 'Continue the draft'}
          </WriteButton>
          <WriteButton size="compact-sm" variant="outline" color="red" onClick={deleting.open}>
            Delete
          </WriteButton>
        </>
      }
    >
      <Stack gap="md">
        {/* after a failed read, the earlier data and the draft stay on the page */}
        {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
        <Stale error={error} atMs={dataUpdatedAt} everyMs={REFRESH_MS}>
          <Group gap="sm">
            <Text size="sm">{aggregate.availabilityZone === null ? 'no zone' : `zone ${aggregate.availabilityZone}`}</Text>
            <Text size="sm" data-version={aggregate.version}>
              version {aggregate.version}
            </Text>
            <Text size="sm" title={titleOfTime(aggregate.updatedAt)}>
              updated {formatTime(aggregate.updatedAt, zone)}
            </Text>
          </Group>
        </Stale>
        {isEditing && !isTaking ? (
          <EditAggregate
            key={edited.base.version}
            uuid={uuid}
            draft={edited}
            onChange={keep}
            onDone={() => {
              keep(undefined)
              setEditing(false)
              void refetch()
            }}
          />
        ) : null}
        <Stale error={error} atMs={dataUpdatedAt} everyMs={REFRESH_MS}>
          <AggregateMetadata metadata={aggregate.metadata} />
          <AggregateMembers aggregate={aggregate.name} hostNames={aggregate.hostNames} />
        </Stale>
        <AggregateHistory
          uuid={uuid}
          current={aggregate}
          hasDraft={isEditing || !changesNothing(edited)}
          onUndo={(undoing) => {
            keep(undoing)
            setEditing(true)
          }}
        />
      </Stack>
      {isDeleting ? (
        <DeleteAggregate
          uuid={uuid}
          name={aggregate.name}
          version={aggregate.version}
          onClose={deleting.close}
          onDone={() => {
            keep(undefined)
            void navigate({ to: '/aggregates' })
          }}
        />
      ) : null}
    </Page>
  )
}

const withoutEdit = ({ find }: { readonly find?: string }): { readonly find?: string } => (find === undefined ? {} : { find })
