import { Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { labelOfHost } from '../../../lib/host-label.ts'
import { useOperation } from '../../../lib/service/api.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { usePages } from '../../../lib/service/use-pages.ts'
import { Age } from '../../../ui/age.tsx'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Stale } from '../../../ui/stale.tsx'
import { SmallTable } from '../../../ui/table/small-table.tsx'
import { FORGOTTEN, FORGOTTEN_COUNT } from '../actions/leaving-documents.ts'

const REFRESH_MS = 15_000
const PAGE = 50

/** The count of forgotten hosts. It is read again whenever the count of present hosts changes. */
export function useForgottenCount(present: number): number {
  const { data, refetch } = useOperation(FORGOTTEN_COUNT, {}, { everyMs: REFRESH_MS })
  const counted = useRef(present)
  useEffect(() => {
    if (counted.current === present) return
    counted.current = present
    void refetch()
  }, [present, refetch])
  return data?.hosts.totalCount ?? 0
}

/** A link to the forgotten hosts, if there are any. */
export function ForgottenLink({ present }: { readonly present: number }) {
  const count = useForgottenCount(present)
  if (count === 0) return null
  return (
    <AnchorLink to="/hosts" search={{ gone: 'yes' }} size="xs">
      {formatCount(count)} forgotten
    </AnchorLink>
  )
}

/** The list of forgotten hosts, by name. Each host links to its page, which has the remaining data. */
export function ForgottenHosts() {
  const [find, setFind] = useState('')
  const pages = usePages(FORGOTTEN, { find }, ({ hosts }) => hosts, { everyMs: REFRESH_MS })
  const { rows, total, error, isLoading, isOld, readAtMs, refresh, load } = pages
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <TextInput
          size="xs"
          aria-label="Find a forgotten host by part of its name"
          placeholder="part of the name"
          value={find}
          onChange={({ currentTarget: { value } }) => setFind(value)}
        />
        <AnchorLink to="/hosts" size="sm">
          Present hosts
        </AnchorLink>
      </Group>
      {error === null ? null : <Problem error={error} onRetry={refresh} />}
      {isLoading ? (
        <Skeleton height={200} role="status" aria-label="Forgotten hosts are being loaded" />
      ) : (
        <Stale error={error} atMs={readAtMs} everyMs={REFRESH_MS} isOther={isOld}>
          <Text size="sm" fw={600} role="status" data-count={total}>
            {formatCount(total)} forgotten {total === 1 ? 'host' : 'hosts'}
            {find === '' ? '' : ' with a matching name'}
          </Text>
          <Rows rows={rows} />
          {rows.length < total ? (
            <Button size="compact-sm" variant="outline" mt="xs" onClick={() => void load(rows.length + PAGE)}>
              Show {formatCount(Math.min(PAGE, total - rows.length))} more
            </Button>
          ) : null}
        </Stale>
      )}
    </Stack>
  )
}

type Row = ResultOf<typeof FORGOTTEN>['hosts']['nodes'][number]

function Rows({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <SmallTable
      label="Forgotten hosts"
      rows={rows}
      rowKey={({ name, node }) => `${name}/${node}`}
      columns={[
        {
          head: 'Host',
          cell: ({ name, node, hasOtherNodes }) => (
            <AnchorLink to="/hosts/$host" params={{ host: name }} search={node === name ? {} : { node }} size="sm">
              {labelOfHost({ name, node, hasOtherNodes })}
            </AnchorLink>
          ),
        },
        { head: 'Forgotten', cell: ({ gone }) => (gone === null ? '' : <Age atMs={Date.parse(gone.at)} ago />) },
        { head: 'Why', className: 'breaks', cell: ({ gone }) => gone?.reason },
        { head: 'Reports', cell: ({ gone }) => (gone?.readmitted ? 'readmitted: returns with its next full report' : 'refused') },
      ]}
    />
  )
}
