import { Alert, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { request } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import { useChange } from '../../lib/use-change.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { WriteButton } from '../../ui/write-button.tsx'
import { labelOf } from './host-row.ts'
import type { HostDetail } from './host-usage.tsx'
import { FORGET, READMIT, REPLACE } from './leaving-documents.ts'

type What = 'forget' | 'replace' | 'readmit'

export interface LeavingProps {
  readonly host: Pick<HostDetail, 'name' | 'node' | 'gone'>
  onChanged(): void
}

/** What takes a host out of the fleet, renames it, or lets it in again. */
export function Leaving({ host, onChanged }: LeavingProps) {
  const [open, setOpen] = useState<What>()
  const offered: readonly What[] = host.gone === null ? ['replace', 'forget'] : host.gone.readmitted ? [] : ['readmit']
  return (
    <>
      {offered.map((what) => (
        <WriteButton key={what} size="compact-sm" variant="outline" ml="xs" onClick={() => setOpen(what)}>
          {words[what].button}
        </WriteButton>
      ))}
      {open === undefined ? null : (
        <Leave
          what={open}
          host={host}
          onClose={() => setOpen(undefined)}
          onDone={() => {
            setOpen(undefined)
            onChanged()
          }}
        />
      )}
    </>
  )
}

const words = {
  forget: {
    button: 'Forget',
    title: 'Forget',
    text: 'The host leaves the fleet: lists, counts and decisions know it no more. Its history stays. Its reports are refused until it is readmitted.',
  },
  replace: {
    button: 'Replace',
    title: 'Give another name to',
    text: 'The same machine under a new name: claims, server groups, aggregates and API keys follow. A host that reports under the new name already goes into this one.',
  },
  readmit: {
    button: 'Readmit',
    title: 'Readmit',
    text: 'Reports under its name are taken again. The next full report brings the host back, with nothing of its past.',
  },
} as const

interface LeaveProps extends Pick<LeavingProps, 'host'> {
  readonly what: What
  onClose(): void
  onDone(): void
}

function Leave({ what, host, onClose, onDone }: LeaveProps) {
  const [reason, setReason] = useState('')
  const [by, setBy] = useState('')
  const [isForced, setForced] = useState(false)
  const [preview, setPreview] = useState<Impact>()
  const { problem, isBusy, see, make, forget } = useChange()
  const { button, title, text } = words[what]
  const step = (dryRun: boolean) => () => leave({ what, host, by: by.trim(), isForced, reason: reason.trim(), dryRun })
  const changed = (apply: () => void): void => {
    apply()
    setPreview(undefined)
    forget()
  }
  const isComplete = reason.trim() !== '' && (what !== 'replace' || by.trim() !== '')
  return (
    <Dialog title={`${title} ${labelOf({ host: host.name, node: host.node })}`} size="lg" onClose={onClose}>
      <Stack gap="sm">
        <Text size="sm">{text}</Text>
        {what === 'replace' ? (
          <TextInput
            label="New name"
            required
            value={by}
            onChange={({ currentTarget: { value } }) => changed(() => setBy(value))}
            data-autofocus
          />
        ) : null}
        <TextInput
          label="Reason"
          description="For those who ask later; it is in the history of the host."
          required
          value={reason}
          onChange={({ currentTarget: { value } }) => changed(() => setReason(value))}
          {...(what !== 'replace' && { 'data-autofocus': true })}
        />
        {what === 'forget' ? (
          <Checkbox
            label="Although it has live claims: they end REVOKED"
            checked={isForced}
            onChange={({ currentTarget: { checked } }) => changed(() => setForced(checked))}
          />
        ) : null}
        {preview === undefined ? null : <Changed what={what} impact={preview} />}
        {problem === undefined ? null : <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="subtle" onClick={onClose}>
            Cancel
          </Button>
          {preview === undefined && what !== 'readmit' ? (
            <Button onClick={() => see(step(true), setPreview)} loading={isBusy} disabled={!isComplete}>
              See what it changes
            </Button>
          ) : (
            <Button
              {...(what === 'forget' && { color: 'red' })}
              onClick={() => make(step(false), onDone)}
              loading={isBusy}
              disabled={!isComplete}
            >
              {button}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}

interface Impact {
  readonly claimCount: number
  readonly aggregates: readonly string[]
  /** Hosts that go into this one. */
  readonly merged: readonly string[]
}

function Changed({ what, impact: { claimCount, aggregates, merged } }: { readonly what: What; readonly impact: Impact }) {
  const isForget = what === 'forget'
  return (
    <Alert color="yellow" role="status" title="Nothing is changed yet">
      <Text size="sm">
        {claimCount === 0
          ? 'No live claim is on it.'
          : `${formatCount(claimCount)} live ${claimCount === 1 ? 'claim' : 'claims'} ${isForget ? 'would end REVOKED' : 'would follow it'}.`}
      </Text>
      {aggregates.length === 0 ? null : (
        <Text size="sm">
          {isForget ? 'It would leave the aggregates' : 'It would be renamed in the aggregates'} {aggregates.join(', ')}.
        </Text>
      )}
      {merged.map((name) => (
        <Text size="sm" key={name}>
          {name} has reported already: its report would be that of the one host.
        </Text>
      ))}
    </Alert>
  )
}

interface Step extends Pick<LeaveProps, 'what' | 'host'> {
  readonly by: string
  readonly isForced: boolean
  readonly reason: string
  readonly dryRun: boolean
}

const NOTHING: Impact = { claimCount: 0, aggregates: [], merged: [] }

/** Throws what the service refuses. */
async function leave({ what, host: { name, node }, by, isForced, reason, dryRun }: Step): Promise<Impact> {
  const host = { host: name, node }
  if (what === 'readmit') {
    const { hostReadmit: answer } = await request(READMIT, { host, reason })
    if (answer.__typename === 'HostReadmitPayload') return NOTHING
    throw new Error(answer.message)
  }
  if (what === 'forget') {
    const { hostForget: answer } = await request(FORGET, { host, force: isForced, reason, dryRun })
    if (answer.__typename === 'HostForgetPayload') return { ...NOTHING, ...answer.impact }
    throw new Error(answer.message)
  }
  const { hostReplace: answer } = await request(REPLACE, { host, by: { host: by }, reason, dryRun })
  if (answer.__typename !== 'HostReplacePayload') throw new Error(answer.message)
  return { ...answer.impact, merged: answer.merged.map((merged) => merged.name) }
}
