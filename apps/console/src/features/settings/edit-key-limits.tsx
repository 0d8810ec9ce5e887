import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { readDuration } from '../../lib/format.ts'
import { queryClient, request } from '../../lib/service/api.ts'
import type { ResultOf } from '../../lib/service/graphql.ts'
import { useChange } from '../../lib/service/use-change.ts'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { type KEY_LIMITS, UPDATE_KEY_LIMITS } from './documents.ts'

const MS_PER_MINUTE = 60_000

interface EditKeyLimitsProps {
  readonly limits: ResultOf<typeof KEY_LIMITS>['keyLimits']
  onClose(): void
}

/** The dialog to set both limits for the whole fleet. After a refusal, the dialog stays open with its input. */
export function EditKeyLimits({ limits, onClose }: EditKeyLimitsProps) {
  const [cap, setCap] = useState(String(limits.cap))
  const [minutes, setMinutes] = useState(String(readDuration(limits.afterlife) / MS_PER_MINUTE))
  const [refusal, setRefusal] = useState<readonly string[]>([])
  const { problem, isBusy, make } = useChange()
  const capProblem = problemOf(cap, 1_000, 100_000_000)
  const minutesProblem = problemOf(minutes, 1, 1_440)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (capProblem !== undefined || minutesProblem !== undefined) return
    setRefusal([])
    make(
      () => request(UPDATE_KEY_LIMITS, { ifVersion: limits.version, cap: Number(cap), afterlife: `PT${Number(minutes)}M` }),
      ({ keyLimitsUpdate: answer }) => {
        // if another operator has changed the limits meanwhile, they are read again, so that they are shown before they are replaced
        void queryClient.invalidateQueries()
        if (answer.__typename === 'KeyLimitsPayload') onClose()
        else setRefusal(answer.__typename === 'ValidationError' ? answer.issues.map(({ message }) => message) : [answer.message])
      },
    )
  }
  return (
    <Dialog onClose={onClose} title="Limits of idempotency keys">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Text size="sm">
            For the whole fleet, including keys that have already ended. A call that is repeated after its key was forgotten is treated as a
            new call.
          </Text>
          <TextInput
            label="Keys of ended claims, at most"
            description="Above this number new keys are refused. Keys of live claims do not count. Each ended key takes memory on every replica."
            inputMode="numeric"
            data-autofocus
            value={cap}
            error={capProblem}
            onChange={({ currentTarget: { value } }) => setCap(value)}
          />
          <TextInput
            label="Minutes that a key is kept after its last claim has ended"
            inputMode="numeric"
            value={minutes}
            error={minutesProblem}
            onChange={({ currentTarget: { value } }) => setMinutes(value)}
          />
          {refusal.length === 0 ? null : (
            <Alert color="red" title="The limits were not changed" role="alert">
              {refusal.join(' ')}
            </Alert>
          )}
          {problem === undefined ? null : <Problem error={problem} />}
          <Group justify="flex-end">
            <Button variant="subtle" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy} disabled={capProblem !== undefined || minutesProblem !== undefined}>
              Set the limits
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

const problemOf = (text: string, least: number, most: number): string | undefined =>
  /^\d+$/.test(text.trim()) && Number(text) >= least && Number(text) <= most ? undefined : `A whole number of ${least} to ${most}.`
