import { aggregateFields } from '@gantt/scheduler-core/query'
import { Code, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, useMemo } from 'react'
import { useShortcuts } from '../../lib/browser/keys.ts'
import { commandOf } from '../../lib/copies.ts'
import { formatCount, formatTime, type TimeZoneChoice, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { useAt } from '../../lib/service/travel.ts'
import { usePages } from '../../lib/service/use-pages.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { CopyList } from '../../ui/copy-list.tsx'
import { WriteButton } from '../../ui/dialog/write-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { PagedList } from '../../ui/table/paged-list.tsx'
import type { TableColumn } from '../../ui/table/table.tsx'
import { LIST } from './documents.ts'
import { CreateAggregate } from './edit/create-aggregate.tsx'
import { type AggregateRow, aggregateFieldsCopied, textOfPairs } from './rows.ts'
import { aggregateOrder } from './search.ts'
import { REFRESH_MS } from './use-refresh.ts'

const route = getRouteApi('/aggregates')

/** Loaded when a row is first shown in the side panel. */
const AggregateBeside = lazy(async () => ({ default: (await import('./aggregate-panel.tsx')).AggregatePanel }))

const nouns = ['aggregate', 'aggregates'] as const

const keyOf = ({ uuid }: AggregateRow): string => uuid

/** The page of all aggregates, with their zones and the metadata that filters read. */
export function AggregatesPage() {
  const { q = '', sort } = route.useSearch()
  const navigate = route.useNavigate()
  const at = useAt()
  const zone = useTimeZone()
  const [isCreating, creating] = useDisclosure(false)
  const asked = { q, order: aggregateOrder(sort) }
  const pages = usePages(LIST, asked, ({ aggregates }) => aggregates, { everyMs: REFRESH_MS })
  const columns = useMemo(() => columnsIn(zone), [zone])
  useShortcuts([{ keys: 'c', label: 'Create an aggregate', isWrite: true, run: creating.open }])

  return (
    <Page
      title="Aggregates"
      aside={
        <>
          <CopyList
            {...{ list: 'aggregates', nouns, pages, columns, fields: aggregateFieldsCopied }}
            call={{ document: LIST, variables: asked }}
            items={[['Command line', () => commandOf('gantt aggregates', { query: q, at })]]}
          />
          <WriteButton size="compact-sm" onClick={creating.open}>
            Create
          </WriteButton>
        </>
      }
    >
      <PagedList
        list="aggregates"
        label="Aggregates"
        nouns={nouns}
        fields={aggregateFields}
        pages={pages}
        columns={columns}
        usualSort="name"
        keyOf={keyOf}
        onOpen={({ uuid }) => void navigate({ to: '/aggregates/$uuid', params: { uuid } })}
        sidePanel={(uuid) => <AggregateBeside key={uuid} uuid={uuid} />}
        none={<NoAggregate onCreate={creating.open} />}
      />
      {isCreating ? (
        <CreateAggregate
          onClose={creating.close}
          onDone={(uuid) => {
            creating.close()
            void navigate({ to: '/aggregates/$uuid', params: { uuid } })
          }}
        />
      ) : null}
    </Page>
  )
}

const columnsIn = (zone: TimeZoneChoice): TableColumn<AggregateRow>[] => [
  { key: 'name', label: 'Name', width: 'minmax(140px, 1.5fr)', sortable: true, value: ({ name }) => name },
  { key: 'az', label: 'Zone', width: '114px', sortable: true, value: ({ availabilityZone }) => availabilityZone ?? '' },
  {
    key: 'hosts',
    label: 'Members',
    width: '100px',
    align: 'right',
    sortable: true,
    sortsDescending: true,
    value: ({ hostCount }) => formatCount(hostCount),
  },
  { key: 'metadata', label: 'Metadata', width: 'minmax(220px, 3fr)', value: ({ metadata }) => textOfPairs(metadata) },
  {
    key: 'version',
    label: 'Version',
    width: '90px',
    align: 'right',
    sortable: true,
    sortsDescending: true,
    value: ({ version }) => version,
  },
  {
    key: 'updated',
    label: 'Updated',
    width: '155px',
    sortable: true,
    sortsDescending: true,
    value: ({ updatedAt }) => formatTime(updatedAt, zone),
    cell: ({ updatedAt }) => <span title={titleOfTime(updatedAt)}>{formatTime(updatedAt, zone)}</span>,
  },
]

function NoAggregate({ onCreate }: { onCreate(): void }) {
  const command = 'gantt aggregates --help'
  return (
    <Empty title="No aggregates yet">
      An aggregate is a set of hosts with metadata. One with the key availability_zone is a zone; filters read other keys, such as ssd=true.
      <Group justify="center" mt="sm" gap="xs">
        <WriteButton size="compact-sm" onClick={onCreate}>
          Create an aggregate
        </WriteButton>
        <Code>{command}</Code>
        <CopyButton text={command}>Copy</CopyButton>
      </Group>
    </Empty>
  )
}
