import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { queryClient, request } from '../../../lib/service/api.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { useChange } from '../../../lib/service/use-change.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { CREATE } from '../documents.ts'
import { Impact, type ImpactCounts, Refusal, type RefusalProps } from '../impact.tsx'
import { parseNames, parsePairs } from './draft.ts'

type Answer = ResultOf<typeof CREATE>['aggregateCreate']
type Payload = Extract<Answer, { readonly __typename: 'AggregatePayload' }>

interface CreateAggregateProps {
  onClose(): void
  onDone(uuid: string): void
}

/** The dialog to create an aggregate, with a preview of its effect. */
export function CreateAggregate({ onClose, onDone }: CreateAggregateProps) {
  const [name, setName] = useState('')
  const [zone, setZone] = useState('')
  const [hosts, setHosts] = useState('')
  const [metadata, setMetadata] = useState('')
  const [impact, setImpact] = useState<ImpactCounts | undefined>()
  const [refusal, setRefusal] = useState<RefusalProps | undefined>()
  const { problem, isBusy, see, make, forget } = useChange()
  const { pairs, wrong } = parsePairs(metadata)

  const change = (set: (value: string) => void) => (value: string) => {
    set(value)
    setImpact(undefined)
    setRefusal(undefined)
    forget()
  }
  const send = (dryRun: boolean) => async () => {
    const input = {
      name: name.trim(),
      availabilityZone: zone.trim() || null,
      hosts: parseNames(hosts),
      metadata: Object.entries(pairs).map(([key, value]) => ({ key, value })),
    }
    return (await request(CREATE, { input, dryRun })).aggregateCreate
  }
  const unlessRefused = (onward: (payload: Payload) => void) => (answer: Answer) =>
    answer.__typename === 'AggregatePayload' ? onward(answer) : setRefusal(answer)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setRefusal(undefined)
    if (impact === undefined)
      see(
        send(true),
        unlessRefused((seen) => setImpact(seen.impact)),
      )
    else
      make(
        send(false),
        unlessRefused(({ aggregate }) => {
          void queryClient.invalidateQueries()
          onDone(aggregate?.uuid ?? '')
        }),
      )
  }

  return (
    <Dialog onClose={onClose} title="Create an aggregate" size="lg">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label="Name"
            required
            value={name}
            onChange={({ currentTarget }) => change(setName)(currentTarget.value)}
            data-autofocus
          />
          <TextInput
            label="Availability zone"
            description="Makes the aggregate a zone. Leave empty for a plain aggregate."
            value={zone}
            onChange={({ currentTarget }) => change(setZone)(currentTarget.value)}
          />
          <Textarea
            label="Metadata"
            description="key=value, one per line"
            autosize
            minRows={2}
            value={metadata}
            error={wrong.length > 0 ? `not key=value: ${wrong.join(', ')}` : undefined}
            onChange={({ currentTarget }) => change(setMetadata)(currentTarget.value)}
          />
          <Textarea
            label="Hosts"
            description="Names separated by spaces, commas, semicolons or line breaks."
            rows={4}
            value={hosts}
            onChange={({ currentTarget }) => change(setHosts)(currentTarget.value)}
          />
          {refusal === undefined ? null : <Refusal {...refusal} />}
          {problem === undefined ? null : <Problem error={problem} />}
          {impact === undefined ? null : <Impact impact={impact} />}
          <Group justify="flex-end">
            <Button variant="subtle" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy} disabled={name.trim() === '' || wrong.length > 0}>
              {impact === undefined ? 'Preview the impact' : 'Create'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
