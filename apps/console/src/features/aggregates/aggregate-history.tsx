import { Alert, Group, Skeleton, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { request, useOperation } from '../../lib/api.ts'
import { formatTime, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { useScopes } from '../../lib/scopes.ts'
import { Heading } from '../../ui/heading.tsx'
import { Problem } from '../../ui/problem.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { WriteButton } from '../../ui/write-button.tsx'
import { AGGREGATE, HISTORY } from './documents.ts'
import { type AggregateState, type Draft, draftTo } from './draft.ts'
import { deedOf, historyQuery, momentBefore } from './history.ts'
import { REFRESH_MS } from './use-refresh.ts'

interface AggregateHistoryProps {
  readonly uuid: string
  readonly current: AggregateState & { readonly updatedAt: string }
  /** A draft is open, or was begun: another one would take its place. */
  readonly hasDraft: boolean
  /** The inverse of the last edit, to be looked at and applied as any other draft. */
  onUndo(draft: Draft): void
}

/** Who changed what, from the audit, which not every key may read; and the way back from the last edit. */
export function AggregateHistory({ uuid, current, hasDraft, onUndo }: AggregateHistoryProps) {
  const { scopes, may } = useScopes()
  const mayRead = may('OPERATE')
  const { data, error, refetch } = useOperation(HISTORY, { query: historyQuery(uuid) }, { enabled: mayRead === true, everyMs: REFRESH_MS })
  const zone = useTimeZone()
  const deeds = (data?.auditLog.nodes ?? []).flatMap((row) => {
    const deed = deedOf(row)
    return deed === undefined ? [] : [{ ...row, deed }]
  })
  return (
    <section aria-label="History">
      <Group gap="sm" mb={4}>
        <Heading keys="3">History</Heading>
        {mayRead === true && current.version > 1 ? <Undo {...{ uuid, current, hasDraft, onUndo }} /> : null}
      </Group>
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
      {mayRead === false ? (
        <Text size="sm" c="dimmed">
          It stands in the audit, which a key needs OPERATE to read; yours has {scopes.join(', ')}.
        </Text>
      ) : data === undefined ? (
        error ? null : (
          <Skeleton height={48} role="status" aria-label="The audit is being read" />
        )
      ) : deeds.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nobody edited it, as far as the audit goes back.
        </Text>
      ) : (
        <ScrollBox label="Edits of the aggregate" maxHeight="240px">
          <Table verticalSpacing={3} stickyHeader>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>When</Table.Th>
                <Table.Th>Who</Table.Th>
                <Table.Th>What</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {deeds.map(({ id, at, account, deed }) => (
                <Table.Tr key={id} data-deed>
                  <Table.Td title={titleOfTime(at)}>{formatTime(at, zone)}</Table.Td>
                  <Table.Td>{account}</Table.Td>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{deed}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollBox>
      )}
    </section>
  )
}

/** Drafts what makes it as it was before the last edit; nothing is changed by that. */
function Undo({ uuid, current, hasDraft, onUndo }: AggregateHistoryProps) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [isGone, setGone] = useState(false)
  const draft = (): void => {
    setBusy(true)
    setError(undefined)
    setGone(false)
    request(AGGREGATE, { uuid, at: momentBefore(current.updatedAt) })
      .then(({ aggregate }) => {
        // two edits of one millisecond cannot be told apart by a time
        if (aggregate?.version === current.version - 1) onUndo(draftTo(current, aggregate))
        else setGone(true)
      }, setError)
      .finally(() => setBusy(false))
  }
  return (
    <>
      <WriteButton
        size="compact-sm"
        variant="outline"
        loading={isBusy}
        disabled={hasDraft}
        title={hasDraft ? 'There is a draft: apply or discard it first.' : undefined}
        onClick={draft}
      >
        Draft the undoing of the last edit
      </WriteButton>
      {error === undefined ? null : <Problem error={error} onRetry={draft} />}
      {isGone ? (
        <Alert color="yellow" p="xs" role="alert" title="How it was before is not known">
          <Text size="sm">The log does not tell version {current.version - 1} apart. Edit it by hand.</Text>
        </Alert>
      ) : null}
    </>
  )
}
