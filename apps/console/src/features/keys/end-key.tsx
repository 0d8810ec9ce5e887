import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { queryClient, request } from '../../lib/service/api.ts'
import { serviceNow } from '../../lib/service/clock.ts'
import { useChange } from '../../lib/service/use-change.ts'
import { Age } from '../../ui/age.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { REVOKE, ROTATE } from './documents.ts'
import { isInUse, type Key, type KeyResult, type Made, refusalOf } from './key.ts'

/** `rotate` replaces the key by a new key, and the old key is valid for some time longer. `revoke` ends the key at once. */
export type Step = 'rotate' | 'revoke'

interface EndKeyProps {
  readonly step: Step
  readonly key_: Key
  /** True if the operator is signed in with this key. */
  readonly isOwn: boolean
  onClose(): void
  onDone(made: Made): void
}

const OVERLAP = 'P1D'

/** The dialog to rotate or revoke a key. It shows when the key was last used. */
export function EndKey({ step, key_: key, isOwn, onClose, onDone }: EndKeyProps) {
  const [refusal, setRefusal] = useState<readonly string[]>([])
  const { problem, isBusy, make } = useChange()
  const take = (answer: KeyResult): void => {
    if (answer.__typename !== 'ApiKeyPayload') setRefusal(refusalOf(answer))
    else {
      void queryClient.invalidateQueries()
      onDone(answer)
    }
  }
  const run = async (): Promise<KeyResult> =>
    step === 'rotate'
      ? (await request(ROTATE, { id: key.id, overlap: OVERLAP })).apiKeyRotate
      : (await request(REVOKE, { id: key.id })).apiKeyRevoke
  const send = (): void => {
    setRefusal([])
    make(run, take)
  }
  const isRotation = step === 'rotate'
  return (
    <Dialog onClose={onClose} title={`${isRotation ? 'Rotate' : 'Revoke'} ${key.name}`}>
      <Stack gap="sm">
        <Text size="sm">
          {isRotation
            ? `A new key with the same rights is created for ${key.account}. This one keeps working for a day, so that its callers can switch, and then expires.`
            : `${key.account} cannot use this key any more, immediately and permanently; its open streams end too.`}
        </Text>
        {isInUse(key, serviceNow()) ? (
          <Alert color="yellow" role="status" title="It is in use" data-in-use>
            Last used <Age atMs={Date.parse(key.lastUsedAt ?? '')} ago />.
          </Alert>
        ) : null}
        {isOwn && !isRotation ? (
          <Alert color="red" role="status" title="This is your own key" data-own>
            You are signed in with this key and will have to sign in with another key.
          </Alert>
        ) : null}
        {refusal.length === 0 ? null : (
          <Alert color="red" title="The key was not changed" role="alert">
            {refusal.join(' ')}
          </Alert>
        )}
        {problem === undefined ? null : <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="subtle" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color={isRotation ? 'blue' : 'red'} loading={isBusy} onClick={send}>
            {isRotation ? 'Create the new key' : 'Revoke the key'}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
