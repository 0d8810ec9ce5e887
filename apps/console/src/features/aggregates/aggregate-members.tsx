import { withTerm } from '@gantt/scheduler-core/query'
import { Group, Text, TextInput } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { useOperation } from '../../lib/service/api.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { Heading } from '../../ui/heading.tsx'
import { Table, type TableColumn } from '../../ui/table/table.tsx'
import { MEMBERS } from './documents.ts'
import { type MemberWords, readMembers } from './members.ts'
import { useRefresh } from './use-refresh.ts'

const route = getRouteApi('/aggregates/$uuid')

interface AggregateMembersProps {
  readonly aggregate: string
  readonly hostNames: readonly string[]
}

/** Lists the hosts of an aggregate, with links to their pages. Shows the state, status and zone of each host. */
export function AggregateMembers({ aggregate, hostNames }: AggregateMembersProps) {
  const { find = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const [active, setActive] = useState(-1)
  const query = withTerm('', 'agg', aggregate)
  const { data, refetch } = useOperation(MEMBERS, { query })
  useRefresh(refetch)
  const words = useMemo(() => (data === undefined ? undefined : readMembers(data.fleet.columns)), [data])
  const columns = useMemo(() => columnsWith(words), [words])
  const shown = useMemo(() => hostNames.filter((name) => name.toLowerCase().includes(find.toLowerCase())), [hostNames, find])
  const open = (index: number): void => {
    const host = shown[index]
    if (host !== undefined) void navigate({ to: '/hosts/$host', params: { host } })
  }
  const search = (text: string): void =>
    void navigate({ search: ({ find: _find, ...before }) => (text === '' ? before : { ...before, find: text }), replace: true })
  return (
    <section aria-label="Members">
      <Group justify="space-between" mb={4}>
        <Group gap="sm" align="baseline" data-members={hostNames.length}>
          <Heading keys="2" call={{ document: MEMBERS, variables: { query } }}>
            {`${find === '' ? '' : `${formatCount(shown.length)} of `}${formatCount(hostNames.length)} ${hostNames.length === 1 ? 'member' : 'members'}`}
          </Heading>
          {hostNames.length === 0 ? null : (
            <AnchorLink size="sm" lh="24px" to="/hosts" search={{ q: query }}>
              Show in Hosts
            </AnchorLink>
          )}
        </Group>
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
          {hostNames.length === 0 ? 'No members yet. Edit the aggregate to add hosts.' : 'No matching members.'}
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
          isMain
          height="min(420px, 60vh)"
        />
      )}
    </section>
  )
}

/** The columns of the list of members. `words` is undefined while the states of the members are being loaded. */
function columnsWith(words: ReadonlyMap<string, MemberWords> | undefined): TableColumn<string>[] {
  const of = (name: keyof MemberWords) => (host: string) => (words === undefined ? '…' : (words.get(host)?.[name] ?? ''))
  return [
    { key: 'host', label: 'Host', width: 'minmax(180px, 2fr)', value: (host) => host },
    {
      key: 'state',
      label: 'State',
      width: 'minmax(120px, 1fr)',
      value: (host) => (words !== undefined && !words.has(host) ? 'never reported' : of('state')(host)),
    },
    { key: 'status', label: 'Status', width: 'minmax(120px, 1fr)', value: of('status') },
    { key: 'zone', label: 'Zone', width: 'minmax(100px, 1fr)', value: of('zone') },
  ]
}
