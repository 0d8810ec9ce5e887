import { Alert, Button, Fieldset, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { queryClient, request } from '../../../lib/service/api.ts'
import type { ResultOf, VariablesOf } from '../../../lib/service/graphql.ts'
import { useChange } from '../../../lib/service/use-change.ts'
import { FieldChanges } from '../../../ui/field-changes.tsx'
import { Heading } from '../../../ui/heading.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { type PARTS, WRITE } from '../documents.ts'
import type { Document, ProfileDraft } from './draft.ts'
import { DraftCheck } from './draft-check.tsx'
import { DraftConflict } from './draft-conflict.tsx'
import { differences } from './draft-diff.ts'
import { type FieldProblem, problemsOf, readInput, schedulerInput } from './draft-input.ts'
import { PartList } from './part-list.tsx'
import { SettingsFields } from './settings-fields.tsx'

type Answer = ResultOf<typeof WRITE>['profileVersionCreate']

interface DraftEditorProps {
  readonly name: string
  readonly draft: ProfileDraft
  /** The number of the active version. */
  readonly active: number
  /** The latest version of the profile. */
  readonly latest: { readonly id: string; readonly number: number }
  readonly parts: ResultOf<typeof PARTS>['profileParts']
  onChange(draft: ProfileDraft): void
  onDiscard(): void
  /** Called with the number of the written version. */
  onWritten(number: number): void
}

/**
 * The editor of a draft: its filters, weighers and settings, its changes, its evaluation on past requests, and a button to write the
 * version.
 */
export function DraftEditor({ name, draft, active, latest, parts, onChange, onDiscard, onWritten }: DraftEditorProps) {
  const [answer, setAnswer] = useState<Answer | undefined>()
  const { problem, isBusy, isMaking, see, make, forget } = useChange()
  const { own, base, from } = draft
  const { input, problems } = readInput(draft)
  const refused = answer?.__typename === 'ValidationError' ? problemsOf(answer.issues, own) : []
  // a missing note is not shown as an error before the draft is sent
  const shown = [...problems.filter(({ field }) => field !== 'note' || answer !== undefined), ...refused]
  const hasConflict = latest.number !== draft.latest
  const next = latest.number + 1

  const change = (document: Partial<Document>): void => {
    onChange({ ...draft, own: { ...own, ...document } })
    setAnswer(undefined)
    forget()
  }
  const send = (dryRun: boolean) => async () => {
    const whole = { ...input, ...schedulerInput(own.settings) } as VariablesOf<typeof WRITE>['input']
    return (await request(WRITE, { profile: name, input: whole, ifLatest: draft.latest, dryRun })).profileVersionCreate
  }
  const showAnswer = (answer: Answer): void => {
    setAnswer(answer)
    // After a conflict, all data is read again, so that the page shows the other operator's version.
    if (isConflict(answer)) void queryClient.invalidateQueries()
  }
  const look = (): void => see(send(true), showAnswer)
  const write = (): void =>
    make(send(false), (written) => {
      showAnswer(written)
      if (written.__typename !== 'ProfilePayload') return
      void queryClient.invalidateQueries()
      onWritten(written.version.number)
    })
  const kinds = (kind: (typeof parts)[number]['kind']) => parts.filter((part) => part.kind === kind)
  const lines = differences(base, own)
  return (
    <Stack gap="lg">
      {/* input is disabled while the version is written, because later input would not be included */}
      <Fieldset variant="unstyled" disabled={isMaking}>
        <Stack gap="lg">
          <section aria-label="Filters">
            <Heading keys="1">Filters, in the order of evaluation</Heading>
            <PartList
              list="filters"
              label="Filters of the draft"
              parts={own.filters}
              base={base.filters}
              known={kinds('FILTER')}
              problems={shown}
              onChange={(filters) => change({ filters })}
            />
          </section>
          <section aria-label="Weighers">
            <Heading keys="2">Weighers</Heading>
            <PartList
              list="weighers"
              label="Weighers of the draft"
              parts={own.weighers}
              base={base.weighers}
              known={kinds('WEIGHER')}
              problems={shown}
              onChange={(weighers) => change({ weighers })}
            />
          </section>
          <section aria-label="Settings">
            <Heading keys="3">Settings</Heading>
            <SettingsFields
              settings={own.settings}
              schedulers={kinds('SCHEDULER')}
              problems={shown}
              onChange={(settings) => change({ settings })}
            />
          </section>
        </Stack>
      </Fieldset>
      <section aria-label="Changes of the draft">
        <Text component="h2" fw={600} size="md">
          Differences from version {from}
        </Text>
        <FieldChanges
          label="Changes, field by field"
          maxHeight="280px"
          empty="No changes yet."
          changes={lines}
          sides={[`Version ${from}`, 'The draft']}
        />
      </section>
      <DraftCheck
        name={name}
        active={active}
        next={next}
        document={{ ...input, scheduler: own.settings.scheduler }}
        isWrong={problems.some(({ field }) => field !== 'note')}
      />
      {hasConflict ? (
        <DraftConflict
          draft={draft}
          latest={latest}
          onRebase={(rebased) => {
            onChange(rebased)
            setAnswer(undefined)
          }}
        />
      ) : null}
      {problem === undefined ? null : <Problem error={problem} />}
      <End answer={answer} problems={shown} name={name} />
      <Group justify="flex-end">
        <Button variant="subtle" onClick={onDiscard}>
          Discard
        </Button>
        <Button variant="outline" loading={isBusy} disabled={hasConflict} onClick={() => (problems.length > 0 ? setAnswer(WRONG) : look())}>
          Validate
        </Button>
        <Button loading={isBusy} disabled={hasConflict} onClick={() => (problems.length > 0 ? setAnswer(WRONG) : write())}>
          Write {name}@{next}
        </Button>
      </Group>
    </Stack>
  )
}

/** The answer for a draft that was not sent because fields are invalid. The fields show the reasons. */
const WRONG: Answer = { __typename: 'ValidationError', issues: [], code: 'INVALID', message: '' }

const isConflict = (answer: Answer): boolean =>
  answer.__typename === 'ValidationError' && answer.issues.some(({ path }) => path[0] === 'ifLatest')

interface EndProps {
  readonly answer: Answer | undefined
  readonly problems: readonly FieldProblem[]
  readonly name: string
}

/** The result of the attempt to write the version. */
function End({ answer, problems, name }: EndProps) {
  if (answer === undefined || isConflict(answer)) return null
  if (answer.__typename === 'ProfilePayload')
    return (
      <Alert color="green" role="status" title="The draft is valid" data-can-be-written>
        <Text size="sm">
          It would be {name}@{answer.version.number}, a draft: it decides nothing until it is tried or activated.
        </Text>
      </Alert>
    )
  return (
    <Alert color="red" role="alert" title="The draft is not valid" data-refused={answer.code}>
      {problems.length === 0 ? <Text size="sm">{answer.message}</Text> : null}
      {problems.map(({ field, message }) => (
        <Text size="sm" key={`${field} ${message}`} data-problem={field}>
          <span className="mono">{field}</span>: {message}
        </Text>
      ))}
    </Alert>
  )
}
