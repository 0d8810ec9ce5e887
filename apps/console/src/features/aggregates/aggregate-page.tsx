import { Code, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useOperation } from '../../lib/api.ts'
import { commandOf } from '../../lib/copies.ts'
import { formatTime, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { handedHosts, takeHosts } from '../../lib/handed-hosts.ts'
import { useKeptDraft } from '../../lib/kept-draft.ts'
import { useShortcuts } from '../../lib/keys.ts'
import { useNeighbourKeys } from '../../lib/present-list.ts'
import { useAt } from '../../lib/travel.ts'
import { CopyAs } from '../../ui/copy-as.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Stale } from '../../ui/stale.tsx'
import { WriteButton } from '../../ui/write-button.tsx'
import { AggregateHistory } from './aggregate-history.tsx'
import { AggregateMembers } from './aggregate-members.tsx'
import { AggregateMetadata } from './aggregate-metadata.tsx'
import { DeleteAggregate } from './delete-aggregate.tsx'
import { AGGREGATE } from './documents.ts'
import { beginDraft, changesNothing, readDraft, withHosts } from './draft.ts'
import { EditAggregate } from './edit-aggregate.tsx'
import { REFRESH_MS, useRefresh } from './use-refresh.ts'

const route = getRouteApi('/aggregates/$uuid')

/** One aggregate: its members, its metadata, and the draft of an edit. */
export function AggregatePage() {
  const { uuid } = route.useParams()
  const navigate = route.useNavigate()
  useNeighbourKeys('aggregates', 'aggregate', uuid, (next) => {
    void navigate({ to: '/aggregates/$uuid', params: { uuid: next }, search: {}, replace: true })
  })
  // a draft belongs to one aggregate: another one begins anew
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
  // a draft is of the present: it waits there
  const isEditing = edit === 'yes' && !isPast

  // the draft begins with what the page of hosts handed over, before anybody writes in it
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
          None has the uuid <Code>{uuid}</Code>; it may have been deleted.
        </Empty>
      </Page>
    )
  // what nobody wrote in yet is not kept
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
        {/* what was read before stays, and a draft with it */}
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
