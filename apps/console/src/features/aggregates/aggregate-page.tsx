import { Button, Code, Group, Table as PlainTable, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { useOperation } from '../../lib/api.ts'
import { formatCount, formatTime, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { useShortcuts } from '../../lib/keys.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Table, type TableColumn } from '../../ui/table.tsx'
import { useTableKeys } from '../../ui/table-keys.ts'
import { DeleteAggregate } from './delete-aggregate.tsx'
import { AGGREGATE } from './documents.ts'
import type { AggregateState } from './draft.ts'
import { EditAggregate } from './edit-aggregate.tsx'
import { useDraft } from './use-draft.ts'

const route = getRouteApi('/aggregates/$uuid')
/** Edits of others show by themselves after so long, milliseconds. */
const REFRESH_MS = 10_000

/** One aggregate: its members, its metadata, and the draft of an edit. */
export function AggregatePage() {
  const { uuid } = route.useParams()
  const { edit } = route.useSearch()
  const navigate = route.useNavigate()
  const zone = useTimeZone()
  const { data, error, refetch } = useOperation(AGGREGATE, { uuid }, { keepPrevious: false })
  const { draft, keep, begin } = useDraft(uuid)
  const [isDeleting, deleting] = useDisclosure(false)
  const aggregate = data?.aggregate ?? undefined
  const isEditing = edit === 'yes'

  useEffect(() => {
    const timer = setInterval(() => void refetch(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [refetch])
  // a link to the draft opens one
  useEffect(() => {
    if (isEditing && draft === undefined && aggregate !== undefined) begin(aggregate)
  }, [isEditing, draft, aggregate, begin])
  const setEditing = (on: boolean): void => void navigate({ search: (before) => (on ? { ...before, edit: 'yes' } : withoutEdit(before)) })
  useShortcuts([{ keys: 'e', label: 'Edit the aggregate', run: () => setEditing(true) }])

  if (error) return <Page title="Aggregate">{<Problem error={error} onRetry={() => void refetch()} />}</Page>
  if (data === undefined)
    return (
      <Page title="Aggregate">
        <Skeleton height={240} role="status" aria-label="The aggregate is being loaded" />
      </Page>
    )
  if (aggregate === undefined)
    return (
      <Page title="Aggregate">
        <Empty title="There is no such aggregate">
          None has the uuid <Code>{uuid}</Code>; it may have been deleted.
        </Empty>
      </Page>
    )
  return (
    <Page
      title={aggregate.name}
      aside={
        <>
          <CopyButton text={location.href}>Copy link</CopyButton>
          <Button size="compact-sm" onClick={() => setEditing(true)} disabled={isEditing}>
            {draft === undefined ? 'Edit' : 'Go on with the draft'}
          </Button>
          <Button size="compact-sm" variant="outline" color="red" onClick={deleting.open}>
            Delete
          </Button>
        </>
      }
    >
      <Stack gap="md">
        <Group gap="sm">
          <Text size="sm">{aggregate.availabilityZone === null ? 'no zone' : `zone ${aggregate.availabilityZone}`}</Text>
          <Text size="sm" data-version={aggregate.version}>
            version {aggregate.version}
          </Text>
          <Text size="sm" title={titleOfTime(aggregate.updatedAt)}>
            updated {formatTime(aggregate.updatedAt, zone)}
          </Text>
        </Group>
        {isEditing && draft !== undefined ? (
          <EditAggregate
            key={draft.base.version}
            uuid={uuid}
            draft={draft}
            onChange={keep}
            onDone={() => {
              keep(undefined)
              setEditing(false)
              void refetch()
            }}
          />
        ) : null}
        <Metadata metadata={aggregate.metadata} />
        <Members hostNames={aggregate.hostNames} />
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

function Metadata({ metadata }: { readonly metadata: AggregateState['metadata'] }) {
  return (
    <section aria-label="Metadata">
      <Text component="h2" fw={600} size="md">
        Metadata
      </Text>
      {metadata.length === 0 ? (
        <Text size="sm" c="dimmed">
          None: filters read nothing from it.
        </Text>
      ) : (
        <PlainTable w="auto">
          <PlainTable.Thead>
            <PlainTable.Tr>
              <PlainTable.Th>Key</PlainTable.Th>
              <PlainTable.Th>Value</PlainTable.Th>
            </PlainTable.Tr>
          </PlainTable.Thead>
          <PlainTable.Tbody>
            {metadata.map(({ key, value }) => (
              <PlainTable.Tr key={key}>
                <PlainTable.Td className="mono">{key}</PlainTable.Td>
                <PlainTable.Td className="mono">{value}</PlainTable.Td>
              </PlainTable.Tr>
            ))}
          </PlainTable.Tbody>
        </PlainTable>
      )}
    </section>
  )
}

const columns: TableColumn<string>[] = [{ key: 'host', label: 'Host', width: 'minmax(200px, 1fr)', value: (host) => host }]

/** The member hosts; each opens. */
function Members({ hostNames }: { readonly hostNames: readonly string[] }) {
  const { find = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const [active, setActive] = useState(-1)
  const shown = useMemo(() => hostNames.filter((name) => name.toLowerCase().includes(find.toLowerCase())), [hostNames, find])
  const open = (index: number): void => {
    const host = shown[index]
    if (host !== undefined) void navigate({ to: '/hosts/$host', params: { host } })
  }
  useTableKeys({ count: shown.length, active, onActive: setActive, onOpen: open })
  const search = (text: string): void =>
    void navigate({ search: ({ find: _find, ...before }) => (text === '' ? before : { ...before, find: text }), replace: true })
  return (
    <section aria-label="Members">
      <Group justify="space-between" mb={4}>
        <Text component="h2" fw={600} size="md" data-members={hostNames.length}>
          {find === '' ? formatCount(hostNames.length) : `${formatCount(shown.length)} of ${formatCount(hostNames.length)}`}{' '}
          {hostNames.length === 1 ? 'member' : 'members'}
        </Text>
        <TextInput
          size="xs"
          aria-label="Find a member by part of its name"
          placeholder="find"
          value={find}
          onChange={({ currentTarget }) => search(currentTarget.value)}
        />
      </Group>
      {shown.length === 0 ? (
        <Text size="sm" c="dimmed">
          {hostNames.length === 0 ? 'No host is in it: edit it to add some.' : 'No member has this in its name.'}
        </Text>
      ) : (
        <Table
          label="Members"
          columns={columns}
          count={shown.length}
          row={(index) => shown[index]}
          rowKey={(index) => shown[index] ?? String(index)}
          active={active}
          onActive={setActive}
          onOpen={open}
          height="min(420px, 60vh)"
        />
      )}
    </section>
  )
}
