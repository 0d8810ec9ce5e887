import { Group, Table as PlainTable, Skeleton, Stack, Switch, Text, TextInput } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { useShortcuts } from '../../lib/browser/keys.ts'
import { changed } from '../../lib/browser/list-search.ts'
import { formatCount } from '../../lib/format.ts'
import { useOperation } from '../../lib/service/api.ts'
import { useScopes } from '../../lib/service/scopes.ts'
import { usePages } from '../../lib/service/use-pages.ts'
import { CopyList } from '../../ui/copy-list.tsx'
import { NeedsScope } from '../../ui/dialog/needs-scope.tsx'
import { WriteButton } from '../../ui/dialog/write-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Heading } from '../../ui/heading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Stale } from '../../ui/stale.tsx'
import { ColumnChooser } from '../../ui/table/column-chooser.tsx'
import { ListTable } from '../../ui/table/list-table.tsx'
import { ScrollBox } from '../../ui/table/scroll-box.tsx'
import { CreateKey } from './create-key.tsx'
import { LIST, OWN } from './documents.ts'
import { EndKey, type Step } from './end-key.tsx'
import { type Key, type Made, roles } from './key.ts'
import { keyColumns, keyFieldsCopied } from './key-columns.tsx'
import { Secret } from './secret.tsx'
import './keys.css'

const REFRESH_MS = 15_000

/** The keys with their scopes, last uses and expiries. */
export function KeysPage() {
  const { scopes, may, error: noScopes, retry } = useScopes()
  const mayRead = may('ADMIN')
  if (mayRead === true) return <Keys />
  return (
    <Page title="Keys">
      {noScopes ? <Problem error={noScopes} onRetry={retry} /> : null}
      {mayRead === false ? <NeedsScope what="keys" scope="ADMIN" scopes={scopes} /> : null}
      <Roles />
    </Page>
  )
}

const route = getRouteApi('/keys')

const nouns = ['key', 'keys'] as const

type Doing = { readonly step: Step; readonly key: Key } | { readonly step: 'create' } | { readonly step: 'secret'; readonly made: Made }

function Keys() {
  const { find = '', ended } = route.useSearch()
  const navigate = route.useNavigate()
  const [doing, setDoing] = useState<Doing | undefined>()
  const { data: own } = useOperation(OWN, {}, { staleMs: 60_000 })
  const states: Key['state'][] | null = ended === 'yes' ? null : ['ACTIVE']
  const asked = { find, states }
  const pages = usePages(LIST, asked, ({ apiKeys, all }) => ({ ...apiKeys, all: all.totalCount }), { everyMs: REFRESH_MS })
  const { rows, newest, total, error, isLoading, isOld, readAtMs, onRange, refresh } = pages
  const columns = useMemo(() => keyColumns((step, key) => setDoing({ step, key })), [])
  const go = (next: { readonly find?: string; readonly ended?: 'yes' | undefined }): void => {
    void navigate({ search: (before) => changed(before, next), replace: next.find !== undefined })
  }
  const open = (index: number): void => {
    const key = rows[index]
    if (key !== undefined) void navigate({ to: '/audit', search: { q: `key:${key.id}` } })
  }
  const keyOf = useCallback((index: number) => rows[index]?.id ?? index, [rows])
  useShortcuts([{ keys: 'c', label: 'Create a key', isWrite: true, run: () => setDoing({ step: 'create' }) }])
  const close = (): void => setDoing(undefined)
  const showSecret = (made: Made): void => setDoing(made.secret === null ? undefined : { step: 'secret', made })
  return (
    <Page
      title="Keys"
      aside={
        <CopyList
          {...{ list: 'keys', nouns, pages, columns, fields: keyFieldsCopied }}
          call={{ document: LIST, variables: asked }}
          items={[['Command line', () => `gantt keys list${states === null ? ' --all' : ''}`]]}
        />
      }
    >
      <Stack gap="xs">
        <div className="keys-head">
          <TextInput
            size="xs"
            aria-label="Find a key by part of its name, account, project or prefix"
            placeholder="name, account, project, prefix"
            value={find}
            onChange={({ currentTarget }) => go({ find: currentTarget.value })}
          />
          <Switch
            size="xs"
            label="Show expired and revoked"
            checked={ended === 'yes'}
            onChange={({ currentTarget }) => go({ ended: currentTarget.checked ? 'yes' : undefined })}
          />
          <WriteButton size="compact-sm" onClick={() => setDoing({ step: 'create' })} title="c">
            Create a key
          </WriteButton>
        </div>
        {error === null ? null : <Problem error={error} onRetry={refresh} />}
        {isLoading ? (
          <Skeleton height={200} role="status" aria-label="Keys are being loaded" />
        ) : newest === undefined ? null : (
          <Stale error={error} atMs={readAtMs} everyMs={REFRESH_MS} isOther={isOld}>
            <Group justify="space-between" mb={4}>
              <Text size="sm" fw={600} role="status" data-count={total}>
                {formatCount(total)} of {formatCount(newest.all)} {nouns[newest.all === 1 ? 0 : 1]}
              </Text>
              <ColumnChooser list="keys" columns={columns} />
            </Group>
            {rows.length === 0 ? (
              <Empty title="No matching keys">Expired and revoked keys are hidden.</Empty>
            ) : (
              <ListTable
                list="keys"
                label="Keys"
                columns={columns}
                count={rows.length}
                row={(index) => rows[index]}
                keyOf={keyOf}
                onOpen={open}
                onRange={onRange}
                listKey={`${ended ?? ''} ${find}`}
              />
            )}
          </Stale>
        )}
        {doing?.step === 'create' ? <CreateKey onClose={close} onDone={showSecret} /> : null}
        {doing?.step === 'rotate' || doing?.step === 'revoke' ? (
          <EndKey step={doing.step} key_={doing.key} isOwn={own?.viewer.actor.id === doing.key.id} onClose={close} onDone={showSecret} />
        ) : null}
        {doing?.step === 'secret' ? <Secret made={doing.made} onClose={close} /> : null}
        <Roles />
      </Stack>
    </Page>
  )
}

function Roles() {
  return (
    <section aria-label="What scopes allow">
      <Heading keys="2">What scopes allow</Heading>
      <ScrollBox label="Scopes and what they allow">
        <PlainTable verticalSpacing={2}>
          <PlainTable.Thead>
            <PlainTable.Tr>
              <PlainTable.Th>Scope</PlainTable.Th>
              <PlainTable.Th>Allows</PlainTable.Th>
            </PlainTable.Tr>
          </PlainTable.Thead>
          <PlainTable.Tbody>
            {roles.map(({ scope, does }) => (
              <PlainTable.Tr key={scope}>
                <PlainTable.Td>{scope}</PlainTable.Td>
                <PlainTable.Td>{does}</PlainTable.Td>
              </PlainTable.Tr>
            ))}
          </PlainTable.Tbody>
        </PlainTable>
      </ScrollBox>
    </section>
  )
}
