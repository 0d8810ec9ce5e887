import { Alert, Button, NativeSelect, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useRun } from '../../../lib/service/use-run.ts'
import { PanelCall } from '../../../ui/dialog/panel-call.tsx'
import { Cancelled, Running } from '../../../ui/dialog/running.tsx'
import { Heading } from '../../../ui/heading.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { CHECK } from '../documents.ts'
import { Evaluated } from '../evaluation/evaluated.tsx'
import { durationOf, nameOfWindow, type Window, windows } from '../search.ts'

interface DraftCheckProps {
  readonly name: string
  /** The number of the active version. */
  readonly active: number
  /** The version number that the draft would get. */
  readonly next: number
  /** The drafted profile, in the form of the API, for the evaluation. */
  readonly document: object
  /** True if the evaluation is not possible yet, because a field is invalid. */
  readonly isWrong: boolean
}

/** Evaluates the draft on past requests before the draft is written. Results of an earlier state of the draft are marked as old. */
export function DraftCheck({ name, active, next, document, isWrong }: DraftCheckProps) {
  const [last, setLast] = useState<Window>('1h')
  const [asked, setAsked] = useState<{ readonly text: string; readonly last: Window } | undefined>()
  const text = JSON.stringify(document)
  return (
    <section aria-label="Effect on past requests">
      <Heading keys="4">Effect on past requests</Heading>
      <div className="profile-form">
        <NativeSelect
          size="xs"
          label="Requests of the"
          value={last}
          data={windows.map((value) => ({ value, label: nameOfWindow(value) }))}
          onChange={({ currentTarget: { value } }) => setLast(windows.find((one) => one === value) ?? '1h')}
        />
        <Button size="xs" variant="outline" disabled={isWrong} onClick={() => setAsked({ text, last })}>
          Decide the requests again by the draft
        </Button>
      </div>
      {asked === undefined ? (
        <Text size="xs" c="dimmed">
          Each request is decided again by the draft and by {name}@{active}, on the state that it met. Nothing is claimed, and nothing is
          written.
        </Text>
      ) : (
        <>
          {asked.text === text ? null : (
            <Alert color="yellow" p="xs" role="status" title="The draft has changed" data-check-old>
              <Text size="sm">The result below belongs to an earlier draft. Decide the requests again.</Text>
            </Alert>
          )}
          <Answer name={name} active={active} next={next} {...asked} />
        </>
      )}
    </section>
  )
}

interface AnswerProps {
  readonly name: string
  readonly active: number
  readonly next: number
  readonly text: string
  readonly last: Window
}

function Answer({ name, active, next, text, last }: AnswerProps) {
  const variables = useMemo(
    () => ({ baseline: `${name}@${active}`, candidate: { draft: JSON.parse(text) as unknown }, window: durationOf(last), sample: 200 }),
    [name, active, text, last],
  )
  const { data, error, isRunning, isCancelled, cancel, run, call } = useRun(CHECK, variables)
  return (
    <>
      <PanelCall of="Effect on past requests" {...call} />
      {error ? <Problem error={error} onRetry={run} /> : null}
      {isRunning ? <Running label="Requests are being decided again." onCancel={cancel} /> : null}
      {isCancelled ? <Cancelled label="The comparison was cancelled" onRun={run} /> : null}
      {data === undefined || isRunning ? null : <Evaluated comparison={data.compareProfiles} baseline={active} candidate={next} />}
    </>
  )
}
