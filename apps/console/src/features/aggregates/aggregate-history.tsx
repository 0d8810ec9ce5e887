import { Alert, Group, Skeleton, Text } from '@mantine/core'
import { useState } from 'react'
import { formatTime, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { request, useOperation } from '../../lib/service/api.ts'
import { useScopes } from '../../lib/service/scopes.ts'
import { WriteButton, type WriteButtonProps } from '../../ui/dialog/write-button.tsx'
import { Heading } from '../../ui/heading.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SmallTable } from '../../ui/table/small-table.tsx'
import { AGGREGATE, HISTORY } from './documents.ts'
import { type AggregateState, type Draft, draftTo } from './edit/draft.ts'
import { actionOf, findVersion, historyQuery, momentBefore, versionBefore } from './history.ts'
import { REFRESH_MS } from './use-refresh.ts'

interface AggregateHistoryProps {
  readonly uuid: string
  readonly current: AggregateState & { readonly updatedAt: string }
  /** True if the aggregate already has a draft, which a new draft would replace. */
  readonly hasDraft: boolean
  /** Called with a draft that restores the state before an edit. The operator must still review and apply the draft. */
  onUndo(draft: Draft): void
}

/**
 * Lists the changes of the aggregate from the audit, which only keys with the scope OPERATE may read. Each edit has a button that drafts
 * the aggregate as it was before the edit.
 */
export function AggregateHistory({ uuid, current, hasDraft, onUndo }: AggregateHistoryProps) {
  const { scopes, may } = useScopes()
  const mayRead = may('OPERATE')
  const variables = { query: historyQuery(uuid) }
  const { data, error, refetch } = useOperation(HISTORY, variables, { enabled: mayRead === true, everyMs: REFRESH_MS })
  const zone = useTimeZone()
  const undo = useUndo({ uuid, current, onUndo })
  const actions = (data?.auditLog.nodes ?? []).flatMap((row) => {
    const action = actionOf(row)
    return action === undefined ? [] : [{ ...row, deed: action, before: versionBefore(row) }]
  })
  return (
    <section aria-label="History">
      <Group gap="sm" mb={4}>
        <Heading keys="3" call={mayRead === true ? { document: HISTORY, variables } : undefined}>
          History
        </Heading>
        {mayRead === true && current.version > 1 ? (
          <UndoButton
            size="compact-sm"
            variant="outline"
            isBusy={undo.busyWith === current.version - 1}
            hasDraft={hasDraft}
            onClick={() => undo.draft(current.version - 1, momentBefore(current.updatedAt))}
          >
            Draft a revert of the last edit
          </UndoButton>
        ) : null}
      </Group>
      {undo.error === undefined ? null : <Problem error={undo.error} />}
      {undo.lost === undefined ? null : (
        <Alert color="yellow" p="xs" role="alert" title="The earlier state is not known">
          <Text size="sm">The log does not contain version {undo.lost} as a state of its own. Edit the aggregate by hand.</Text>
        </Alert>
      )}
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
      {mayRead === false ? (
        <Text size="sm" c="dimmed">
          Only a key with the scope OPERATE can read the audit; yours has {scopes.join(', ')}.
        </Text>
      ) : data === undefined ? (
        error ? null : (
          <Skeleton height={48} role="status" aria-label="The audit is being read" />
        )
      ) : (
        <SmallTable
          label="Edits of the aggregate"
          maxHeight="240px"
          empty="No edits in the retained audit."
          rows={actions}
          rowKey={({ id }) => id}
          rowAttributes={() => ({ 'data-action': true })}
          columns={[
            { head: 'Time', cell: ({ at }) => formatTime(at, zone), title: ({ at }) => titleOfTime(at) },
            { head: 'Account', cell: ({ account }) => account },
            { head: 'Change', className: 'breaks', cell: ({ deed: action }) => action },
            {
              head: 'Undo',
              cell: ({ at, before }) =>
                before === undefined ? null : (
                  <UndoButton
                    size="compact-xs"
                    variant="subtle"
                    aria-label={`Draft a return to the state before ${formatTime(at, zone)}`}
                    isBusy={undo.busyWith === before}
                    hasDraft={hasDraft}
                    onClick={() => undo.draft(before, at)}
                  >
                    Draft a return to the state before
                  </UndoButton>
                ),
            },
          ]}
        />
      )}
    </section>
  )
}

/** Creates a draft that restores an earlier version, without applying it. */
function useUndo({ uuid, current, onUndo }: Pick<AggregateHistoryProps, 'uuid' | 'current' | 'onUndo'>) {
  const [busyWith, setBusyWith] = useState<number | undefined>()
  const [error, setError] = useState<unknown>()
  const [lost, setLost] = useState<number | undefined>()
  /** Drafts the aggregate as it was in `version`. `from` is a moment at which this version already existed. */
  const draft = (version: number, from: string): void => {
    setBusyWith(version)
    setError(undefined)
    setLost(undefined)
    findVersion(version, from, async (at) => (await request(AGGREGATE, { uuid, at })).aggregate)
      .then((found) => (found === undefined ? setLost(version) : onUndo(draftTo(current, found))), setError)
      .finally(() => setBusyWith(undefined))
  }
  return { busyWith, error, lost, draft }
}

interface UndoButtonProps extends Pick<WriteButtonProps, 'size' | 'variant' | 'aria-label' | 'children'> {
  readonly isBusy: boolean
  readonly hasDraft: boolean
  onClick(): void
}

function UndoButton({ isBusy, hasDraft, ...props }: UndoButtonProps) {
  const title = hasDraft ? 'There is a draft: apply or discard it first.' : undefined
  return <WriteButton loading={isBusy} disabled={hasDraft} title={title} {...props} />
}
