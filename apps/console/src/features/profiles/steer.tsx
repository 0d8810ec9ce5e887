import { Alert, Button, Group, List, Stack, Text, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { request } from '../../lib/service/api.ts'
import type { ResultOf } from '../../lib/service/graphql.ts'
import { useChange } from '../../lib/service/use-change.ts'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { ReasonInput } from '../../ui/dialog/reason-input.tsx'
import { Problem } from '../../ui/problem.tsx'
import { CheckFirst } from './check-first.tsx'
import { type Course, effectsOf, type Step, wrongPercent } from './course.ts'
import { ACTIVATE, ROLL_BACK } from './documents.ts'

type Answer = ResultOf<typeof ACTIVATE>['profileActivate']
type Payload = Extract<Answer, { readonly __typename: 'ProfilePayload' }>

interface SteerProps {
  readonly step: Step
  readonly name: string
  /** The number of the version. For a rollback, the version that is rolled back. */
  readonly number: number
  readonly course: Course
  /** True if the version never had a rollout. Such a version must be evaluated before it is activated. */
  readonly isUntried: boolean
  onClose(): void
  onDone(): void
}

const titles: Readonly<Record<Step, (ref: string, name: string) => string>> = {
  shadow: (ref) => `Try ${ref} as a shadow`,
  canary: (ref) => `Let ${ref} decide a share of the calls`,
  activate: (ref) => `Activate ${ref}`,
  rollback: (_ref, name) => `Roll ${name} back`,
}

/**
 * The dialog of a rollout step. The service first checks the step, and the dialog shows its effect. The operator can then make the step.
 */
export function Steer({ step, name, number, course, isUntried, onClose, onDone }: SteerProps) {
  const ref = `${name}@${number}`
  const [percent, setPercent] = useState(String(nextShare(number, course)))
  const [reason, setReason] = useState('')
  const [seen, setSeen] = useState<Payload | undefined>()
  const [refused, setRefused] = useState<Exclude<Answer, Payload> | undefined>()
  const { problem, isBusy, see, make, forget } = useChange()
  const needsCheck = step === 'activate' && isUntried
  const [isChecked, setChecked] = useState(false)
  const needsInput = step === 'canary' || step === 'rollback'
  const wrong = step === 'canary' ? wrongPercent(percent) : step === 'rollback' && reason.trim() === '' ? 'needed' : undefined

  const change = (edit: () => void): void => {
    edit()
    setSeen(undefined)
    setRefused(undefined)
    forget()
  }
  const send = (sent: Sent) => () => steer(step, name, number, Number(percent), reason.trim(), sent)
  const unlessRefused = (onward: (payload: Payload) => void) => (answer: Answer) => {
    if (answer.__typename === 'ProfilePayload') return onward(answer)
    setSeen(undefined)
    setRefused(answer)
  }
  const look = (): void => {
    setRefused(undefined)
    see(send({ dryRun: true, ifStanding: null }), unlessRefused(setSeen))
  }
  const act = (): void => {
    setRefused(undefined)
    // the call names the shown state, so that the service refuses the step if another operator made a step meanwhile
    make(send({ dryRun: false, ifStanding: seen?.profile.standing ?? null }), unlessRefused(onDone))
  }
  // a step that needs no input is previewed at once
  const isBegun = useRef(needsInput)
  useEffect(() => {
    if (isBegun.current) return
    isBegun.current = true
    look()
  })

  return (
    <Dialog title={titles[step](ref, name)} size="lg" onClose={onClose}>
      <Stack gap="sm">
        {step === 'canary' ? (
          <TextInput
            label="Percent of the calls"
            description="Percentage of the calls that name no version. A call stays in the canary when the percentage grows."
            value={percent}
            inputMode="decimal"
            error={wrong}
            onChange={({ currentTarget: { value } }) => change(() => setPercent(value))}
            data-autofocus
          />
        ) : null}
        {step === 'rollback' ? <ReasonInput value={reason} maxLength={255} onChange={(value) => change(() => setReason(value))} /> : null}
        {seen === undefined ? null : (
          <Alert color="yellow" role="status" title="Nothing is changed yet" data-effect>
            {effectsOf(step, name, step === 'rollback' ? seen.version.number : number, Number(percent), seen.profile).map((sentence) => (
              <Text size="sm" key={sentence}>
                {sentence}
              </Text>
            ))}
          </Alert>
        )}
        {needsCheck ? <CheckFirst name={name} active={course.active.number} number={number} onChecked={() => setChecked(true)} /> : null}
        {refused === undefined ? null : <Refused refused={refused} />}
        {problem === undefined ? null : <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="subtle" onClick={onClose}>
            Cancel
          </Button>
          {seen === undefined ? (
            <Button onClick={look} loading={isBusy} disabled={wrong !== undefined}>
              Preview the effect
            </Button>
          ) : (
            <Button
              onClick={act}
              loading={isBusy}
              disabled={needsCheck && !isChecked}
              {...(step === 'rollback' ? { color: 'red' } : {})}
              data-action-button
            >
              {titles[step](ref, name)}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}

/** The percentage that the dialog proposes for a canary: the next larger of 5, 25, 50 and 100. */
function nextShare(number: number, { rollout }: Course): number {
  const now = rollout?.mode === 'CANARY' && rollout.candidate.number === number ? rollout.percent : 0
  return [5, 25, 50, 100].find((share) => share > now) ?? 100
}

interface Sent {
  readonly dryRun: boolean
  readonly ifStanding: string | null
}

async function steer(step: Step, name: string, number: number, percent: number, reason: string, sent: Sent): Promise<Answer> {
  if (step === 'rollback') return (await request(ROLL_BACK, { profile: name, reason, ...sent })).profileRollback
  const rollout = { shadow: { mode: 'SHADOW' }, canary: { mode: 'CANARY', percent }, activate: null } as const
  return (await request(ACTIVATE, { version: `${name}@${number}`, rollout: rollout[step], ...sent })).profileActivate
}

function Refused({ refused }: { readonly refused: Exclude<Answer, Payload> }) {
  const issues = refused.__typename === 'ValidationError' ? refused.issues : []
  if (issues.some(({ path }) => path[0] === 'ifStanding'))
    return (
      <Alert color="red" title="The rollout changed meanwhile" role="alert" data-refused={refused.code}>
        <Text size="sm">Nothing was changed. The effect may be different now: preview it again.</Text>
      </Alert>
    )
  return (
    <Alert color="red" title="Refused" role="alert" data-refused={refused.code}>
      <Text size="sm">{refused.message}</Text>
      <List size="sm">
        {issues.map(({ path, message }) => (
          <List.Item key={`${path.join('.')} ${message}`}>{message}</List.Item>
        ))}
      </List>
    </Alert>
  )
}
