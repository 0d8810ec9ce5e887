import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { queryClient, request } from '../../lib/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { CREATE } from './documents.ts'
import { parseNames, parsePairs } from './draft.ts'
import { Impact, type ImpactCounts, Refusal, type RefusalProps } from './impact.tsx'

interface CreateAggregateProps {
  onClose(): void
  onDone(uuid: string): void
}

/** A new aggregate: first what it would touch, then the deed. */
export function CreateAggregate({ onClose, onDone }: CreateAggregateProps) {
  const [name, setName] = useState('')
  const [zone, setZone] = useState('')
  const [hosts, setHosts] = useState('')
  const [metadata, setMetadata] = useState('')
  const [impact, setImpact] = useState<ImpactCounts | undefined>()
  const [refusal, setRefusal] = useState<RefusalProps | undefined>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const { pairs, wrong } = parsePairs(metadata)

  const change = (set: (value: string) => void) => (value: string) => {
    set(value)
    setImpact(undefined)
    setRefusal(undefined)
    setError(undefined)
  }
  const send = (dryRun: boolean): void => {
    setBusy(true)
    setError(undefined)
    setRefusal(undefined)
    const input = {
      name: name.trim(),
      availabilityZone: zone.trim() || null,
      hosts: parseNames(hosts),
      metadata: Object.entries(pairs).map(([key, value]) => ({ key, value })),
    }
    request(CREATE, { input, dryRun })
      .then(({ aggregateCreate: answer }) => {
        if (answer.__typename !== 'AggregatePayload') setRefusal(answer)
        else if (dryRun) setImpact(answer.impact)
        else {
          void queryClient.invalidateQueries()
          onDone(answer.aggregate?.uuid ?? '')
        }
      }, setError)
      .finally(() => setBusy(false))
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    send(impact === undefined)
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
            description="Makes it a zone; leave it empty for a plain aggregate."
            value={zone}
            onChange={({ currentTarget }) => change(setZone)(currentTarget.value)}
          />
          <Textarea
            label="Metadata"
            description="key=value, one a line"
            autosize
            minRows={2}
            value={metadata}
            error={wrong.length > 0 ? `not key=value: ${wrong.join(', ')}` : undefined}
            onChange={({ currentTarget }) => change(setMetadata)(currentTarget.value)}
          />
          <Textarea
            label="Hosts"
            description="Paste names with any separators."
            rows={4}
            value={hosts}
            onChange={({ currentTarget }) => change(setHosts)(currentTarget.value)}
          />
          {refusal === undefined ? null : <Refusal {...refusal} />}
          {error === undefined ? null : <Problem error={error} />}
          {impact === undefined ? null : <Impact impact={impact} />}
          <Group justify="flex-end">
            <Button variant="subtle" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy} disabled={name.trim() === '' || wrong.length > 0}>
              {impact === undefined ? 'See what it touches' : 'Create'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
