import { Alert, Button, NativeSelect, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useRun } from '../../lib/use-run.ts'
import { Heading } from '../../ui/heading.tsx'
import { PanelCall } from '../../ui/panel-call.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Cancelled, Running } from '../../ui/running.tsx'
import { CHECK } from './documents.ts'
import { Evaluated } from './evaluated.tsx'
import { durationOf, nameOfWindow, type Window, windows } from './search.ts'

interface DraftCheckProps {
  readonly name: string
  /** Number of the version that decides. */
  readonly active: number
  /** Number that the draft would get. */
  readonly next: number
  /** The parts of a profile, as a draft is asked about. */
  readonly document: object
  /** It cannot be asked yet: something of it is not as it can be sent. */
  readonly isWrong: boolean
}

/** What the draft would have changed, before it is written. What was asked of an earlier draft says so. */
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
          Decide them again by the draft
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
              <Text size="sm">The result below is of an earlier draft. Decide the requests again.</Text>
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
