import { Alert, Button, Fieldset, Group, Paper, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { operationKey, queryClient, request } from '../../../lib/service/api.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { useChange } from '../../../lib/service/use-change.ts'
import { Problem } from '../../../ui/problem.tsx'
import { ScrollBox } from '../../../ui/table/scroll-box.tsx'
import { REPLAY, UPDATE, WARNINGS } from '../documents.ts'
import { Impact, Refusal } from '../impact.tsx'
import { Replay } from '../replay/replay.tsx'
import { AddByFilter } from './add-by-filter.tsx'
import {
  type AggregateState,
  changesBetween,
  changesNothing,
  type DiffLine,
  type Draft,
  diffOf,
  parseNames,
  parsePairs,
  rebase,
  toUpdateInput,
} from './draft.ts'
import { PlacedWarnings } from './placed-warnings.tsx'

/** The costly queries about the effect of a draft. */
const OF_A_DRAFT = [WARNINGS, REPLAY] as const

type Answer = ResultOf<typeof UPDATE>['aggregateUpdate']

interface EditAggregateProps {
  readonly uuid: string
  readonly draft: Draft
  onChange(draft: Draft): void
  /** Called when the draft was discarded or applied. */
  onDone(): void
}

/** The editor of a draft: the changes, their effect, and a conflict if another operator has changed the aggregate meanwhile. */
export function EditAggregate({ uuid, draft, onChange, onDone }: EditAggregateProps) {
  const [answer, setAnswer] = useState<Answer | undefined>()
  const { problem, isBusy, isMaking, see, make, forget } = useChange()
  const [metadata, setMetadata] = useState(() =>
    Object.entries(draft.setMetadata)
      .map(([key, value]) => `${key}=${value}`)
      .join('\n'),
  )
  const { wrong } = parsePairs(metadata)
  const [fills, setFills] = useState(0)

  const change = (next: Partial<Draft>): void => {
    onChange({ ...draft, ...next })
    setAnswer(undefined)
    forget()
  }
  const send = (dryRun: boolean) => async () =>
    (await request(UPDATE, { uuid, ifVersion: draft.base.version, input: toUpdateInput(draft), dryRun })).aggregateUpdate
  const look = (): void => {
    // drops earlier results, because they were computed on an older state of the fleet
    for (const document of OF_A_DRAFT) queryClient.removeQueries({ queryKey: operationKey(document) })
    see(send(true), setAnswer)
  }
  const apply = (): void => {
    // Cancels running queries about the effect of the draft. Their results would be outdated after the draft is applied.
    for (const document of OF_A_DRAFT) void queryClient.cancelQueries({ queryKey: operationKey(document) })
    make(send(false), (answer) => {
      const isApplied = answer.__typename === 'AggregatePayload'
      // The answer is dropped after the draft was applied, so that no preview of the applied draft is requested.
      setAnswer(isApplied ? undefined : answer)
      if (!isApplied) return
      void queryClient.invalidateQueries()
      onDone()
    })
  }

  const current = answer?.__typename === 'VersionConflict' ? answer.current : null
  return (
    <Paper withBorder p="md" aria-label="Draft" component="section">
      <Stack gap="sm">
        <Text fw={600} component="h2">
          Draft on version {draft.base.version}
        </Text>
        {/* input is disabled while the draft is applied, because later input would not be included */}
        <Fieldset variant="unstyled" disabled={isMaking}>
          <Stack gap="sm">
            <TextInput label="Name" value={draft.name} onChange={({ currentTarget }) => change({ name: currentTarget.value })} />
            {/* matches of the filter are added to the names, so the field is created again with the new text */}
            <Names key={fills} label="Add hosts" names={draft.addHosts} onChange={(addHosts) => change({ addHosts })} />
            <AddByFilter
              known={new Set([...draft.base.hostNames, ...draft.addHosts])}
              onAdd={(hosts) => {
                change({ addHosts: [...draft.addHosts, ...hosts] })
                setFills(fills + 1)
              }}
            />
            <Names label="Remove hosts" names={draft.removeHosts} onChange={(removeHosts) => change({ removeHosts })} />
            <Textarea
              label="Set metadata"
              description="key=value, one per line. The key availability_zone makes the aggregate a zone."
              autosize
              minRows={2}
              value={metadata}
              error={wrong.length > 0 ? `not key=value: ${wrong.join(', ')}` : undefined}
              onChange={({ currentTarget }) => {
                setMetadata(currentTarget.value)
                change({ setMetadata: parsePairs(currentTarget.value).pairs })
              }}
            />
            <Names label="Remove metadata keys" names={draft.unsetMetadata} onChange={(unsetMetadata) => change({ unsetMetadata })} />
          </Stack>
        </Fieldset>
        <Diff label="Changes of the draft" lines={diffOf(draft)} nothing="The draft has no changes yet." />
        {/* the buttons are above the answers, because answers arrive one by one and would move the buttons under the pointer */}
        <Group justify="flex-end">
          <Button variant="subtle" onClick={onDone}>
            Discard
          </Button>
          {answer?.__typename === 'AggregatePayload' ? (
            <Button loading={isBusy} onClick={apply}>
              Apply to version {draft.base.version}
            </Button>
          ) : (
            <Button loading={isBusy} disabled={changesNothing(draft) || wrong.length > 0 || current !== null} onClick={look}>
              Preview the impact
            </Button>
          )}
        </Group>
        {problem === undefined ? null : <Problem error={problem} />}
        {answer?.__typename === 'AggregatePayload' ? (
          <>
            <Impact impact={answer.impact} />
            <PlacedWarnings uuid={uuid} ifVersion={draft.base.version} input={toUpdateInput(draft)} />
            <Replay uuid={uuid} ifVersion={draft.base.version} input={toUpdateInput(draft)} />
          </>
        ) : null}
        {answer?.__typename === 'ValidationError' ? <Refusal {...answer} /> : null}
        {answer?.__typename === 'NotFound' ? <Refusal message={answer.message} /> : null}
        {current === null ? null : (
          <Conflict
            draft={draft}
            current={current}
            onRebase={() => {
              onChange(rebase(draft, current))
              setAnswer(undefined)
            }}
            onDiscard={onDone}
          />
        )}
      </Stack>
    </Paper>
  )
}

interface NamesProps {
  readonly label: string
  readonly names: readonly string[]
  onChange(names: readonly string[]): void
}

/** An input for a list of names, typed or pasted. While the operator types, the text is not reformatted. */
function Names({ label, names, onChange }: NamesProps) {
  const [text, setText] = useState(names.join('\n'))
  return (
    <Textarea
      label={label}
      description={names.length > 1 ? `${names.length} names` : undefined}
      autosize
      minRows={1}
      maxRows={8}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        onChange(parseNames(currentTarget.value))
      }}
    />
  )
}

interface ConflictProps {
  readonly draft: Draft
  readonly current: AggregateState
  onRebase(): void
  onDiscard(): void
}

/** Shows what another operator has changed since the draft was begun, next to the changes of the draft. */
function Conflict({ draft, current, onRebase, onDiscard }: ConflictProps) {
  return (
    <Alert
      color="orange"
      title={`Another operator changed the aggregate: version ${draft.base.version} is now ${current.version}`}
      role="alert"
      data-conflict
    >
      <Stack gap="xs">
        <Diff label="Changes of the other operator" lines={changesBetween(draft.base, current)} nothing="No visible changes." />
        <Diff label="Your changes" lines={diffOf(rebase(draft, current))} nothing="All your changes are already there." />
        <Group>
          <Button size="compact-sm" onClick={onRebase}>
            Apply my changes to version {current.version}
          </Button>
          <Button size="compact-sm" variant="subtle" onClick={onDiscard}>
            Discard my changes
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}

/** At most this many lines are shown, because the browser needs time for each line at every key press. */
const SHOWN = 500

function Diff({ label, lines, nothing }: { readonly label: string; readonly lines: readonly DiffLine[]; readonly nothing: string }) {
  if (lines.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {nothing}
      </Text>
    )
  return (
    <div>
      <Text size="sm" fw={600}>
        {label}
      </Text>
      <ScrollBox label={label} maxHeight="200px">
        {lines.slice(0, SHOWN).map(({ sign, text }) => (
          <div key={sign + text} className="mono" data-diff={sign}>
            {sign} {text}
          </div>
        ))}
        {lines.length > SHOWN ? <div>and {formatCount(lines.length - SHOWN)} more.</div> : null}
      </ScrollBox>
    </div>
  )
}
