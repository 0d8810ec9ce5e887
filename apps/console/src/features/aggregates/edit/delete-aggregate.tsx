import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { queryClient, request } from '../../../lib/service/api.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { useChange } from '../../../lib/service/use-change.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { DELETE } from '../documents.ts'
import { Impact, Refusal } from '../impact.tsx'

interface DeleteAggregateProps {
  readonly uuid: string
  readonly name: string
  readonly version: number
  onClose(): void
  onDone(): void
}

/** The dialog to delete an aggregate, after a preview of the effect and only if the operator types its name. */
export function DeleteAggregate({ uuid, name, version, onClose, onDone }: DeleteAggregateProps) {
  const [answer, setAnswer] = useState<ResultOf<typeof DELETE>['aggregateDelete'] | undefined>()
  const { problem, isMaking, see, make } = useChange()
  const [typed, setTyped] = useState('')

  const send = (dryRun: boolean) => async () => (await request(DELETE, { uuid, ifVersion: version, dryRun })).aggregateDelete
  const seen = useRef<string>(undefined)
  useEffect(() => {
    const asked = `${uuid} ${version}`
    if (seen.current === asked) return
    seen.current = asked
    // a preview of another version of the aggregate is not valid
    setAnswer(undefined)
    see(send(true), setAnswer)
  })
  const remove = (): void =>
    make(send(false), (removed) => {
      setAnswer(removed)
      if (removed.__typename !== 'AggregatePayload') return
      void queryClient.invalidateQueries()
      onDone()
    })

  return (
    <Dialog onClose={onClose} title={`Delete ${name}`}>
      <Stack gap="sm">
        {problem === undefined ? null : (
          <Problem error={problem} {...(answer === undefined ? { onRetry: () => see(send(true), setAnswer) } : {})} />
        )}
        {answer === undefined ? null : answer.__typename === 'AggregatePayload' ? (
          <Impact impact={answer.impact} />
        ) : (
          <Refusal message={answer.message} issues={answer.__typename === 'ValidationError' ? answer.issues : undefined} />
        )}
        <Text size="sm">The hosts stay; the aggregate and its metadata are removed. Type the name to confirm.</Text>
        <TextInput label="Name" value={typed} onChange={({ currentTarget }) => setTyped(currentTarget.value)} data-autofocus />
        <Group justify="flex-end">
          <Button variant="subtle" onClick={onClose}>
            Cancel
          </Button>
          <Button color="red" loading={isMaking} disabled={typed !== name || answer?.__typename !== 'AggregatePayload'} onClick={remove}>
            Delete
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
