import { readMoment } from '@gantt/scheduler-core/query'
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { titleOfTime, useTimeZone } from '../lib/format.ts'
import { serviceNow } from '../lib/service/clock.ts'
import { nameOfMoment, useAt } from '../lib/service/travel.ts'

/** Suggested times, relative to now. */
const SHORTCUTS = ['-5m', '-15m', '-1h', '-6h', '-1d', '-7d'] as const

/** The dialog to select the moment that the whole console shows. */
export function TravelPicker({ opened, onClose }: { readonly opened: boolean; onClose(): void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Show another time" size="md">
      {opened ? <Form onClose={onClose} /> : null}
    </Modal>
  )
}

function Form({ onClose }: { onClose(): void }) {
  const navigate = useNavigate()
  const zone = useTimeZone()
  const at = useAt()
  const [text, setText] = useState('')
  const [isTried, setTried] = useState(false)
  const read = readMoment(text, serviceNow(), zone)
  const go = (next: string | undefined): void => {
    onClose()
    void navigate({ to: '.', search: (before) => ({ ...before, at: next }) })
  }
  const goTo = (wanted: string): void => {
    const found = readMoment(wanted, serviceNow(), zone)
    if ('at' in found) go(found.at)
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setTried(true)
    if ('at' in read) go(read.at)
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label="Revision, time, or how long ago"
          description={`For example 88123, -15m, 09:14 or 2026-11-20 09:14; times are ${zone === 'utc' ? 'UTC' : 'local unless UTC follows'}.`}
          value={text}
          error={isTried && 'problem' in read ? read.problem : undefined}
          onChange={({ currentTarget: { value } }) => setText(value)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
        <Text size="xs" c="dimmed" role="status" data-moment={'at' in read ? read.at : ''}>
          {'at' in read ? `Shows ${saidOf(read.at)}.` : 'The service reports an error if its log does not reach back to that time.'}
        </Text>
        <Group gap="xs" role="group" aria-label="How long ago">
          {SHORTCUTS.map((wanted) => (
            <Button key={wanted} size="compact-sm" variant="outline" onClick={() => goTo(wanted)}>
              {wanted}
            </Button>
          ))}
        </Group>
        <Group justify="flex-end">
          {at === undefined ? null : (
            <Button variant="subtle" onClick={() => go(undefined)}>
              Back to now
            </Button>
          )}
          <Button type="submit">Show this time</Button>
        </Group>
      </Stack>
    </form>
  )
}

const saidOf = (at: string): string => (/^\d+$/.test(at) ? nameOfMoment(at) : titleOfTime(at))
