import { Button, Group, Text, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useShortcuts } from '../../../lib/browser/keys.ts'
import { HostAnswer } from './host-answer.tsx'
import './why-not.css'

interface WhyNotProps {
  readonly decisionId: string
  readonly instance: number | null
  /** The profile with which the host is evaluated. If undefined, the profile of the decision. */
  readonly profile: string | undefined
  /** The revision of the fleet on which the host is evaluated, instead of the decision's own revision. */
  readonly revision: string | undefined
  /** `host` or `host/node`. Undefined while no host is selected. */
  readonly host: string | undefined
  /** The names of hosts that contain a text, as suggestions. The operator can also enter any other name. */
  suggest(text: string): readonly string[]
  /** True if the answer takes the focus, because the operator has just requested it. */
  readonly takesFocus: boolean
  onAsk(host: string): void
  onClose(): void
}

/** An input for the name of a host, and the explanation for this host. The operator can enter any name, even that of an unknown host. */
export function WhyNot({ decisionId, instance, profile, revision, host, suggest, takesFocus, onAsk, onClose }: WhyNotProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(host ?? '')
  const names = useMemo(() => (text === '' || text === host ? [] : suggest(text).filter((name) => name !== text)), [suggest, text, host])
  useEffect(() => setText(host ?? ''), [host])
  const write = (): void => {
    input.current?.focus()
    input.current?.select()
  }
  useShortcuts([
    { keys: 'w', label: 'Ask why a host was not chosen', run: write },
    { keys: '3', label: 'Go to: Why not host', run: write },
    { keys: 'Escape', label: 'Close the answer about a host', run: () => host !== undefined && onClose() },
  ])
  const ask = (event: FormEvent): void => {
    event.preventDefault()
    const name = text.trim()
    if (name === '') onClose()
    else onAsk(name)
  }
  return (
    <section aria-label="Why a host was not chosen" className="why">
      <form onSubmit={ask}>
        <Group gap="xs" wrap="nowrap">
          <Text component="label" htmlFor={`${id}-name`} fw={600} size="md" className="why-label">
            Why not host
          </Text>
          <TextInput
            ref={input}
            id={`${id}-name`}
            size="xs"
            className="why-name"
            placeholder="any host; shortcut w"
            value={text}
            list={`${id}-names`}
            autoComplete="off"
            spellCheck={false}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
          />
          <datalist id={`${id}-names`}>
            {names.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <Button type="submit" size="xs" variant="outline">
            Ask
          </Button>
        </Group>
      </form>
      {host === undefined ? null : (
        <HostAnswer
          decisionId={decisionId}
          instance={instance}
          profile={profile}
          revision={revision}
          host={host}
          takesFocus={takesFocus}
          onClose={onClose}
        />
      )}
    </section>
  )
}
