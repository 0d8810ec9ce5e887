import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { request } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { useChange } from '../../lib/use-change.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SET_USED_FROM } from './documents.ts'
import { labelOf } from './host-row.ts'
import type { HostDetail } from './host-usage.tsx'

type Answer = ResultOf<typeof SET_USED_FROM>['hostSetUsedFrom']
type Impact = Extract<Answer, { readonly __typename: 'HostSetUsedFromPayload' }>['impact']

export interface SetUsedFromProps {
  readonly host: Pick<HostDetail, 'name' | 'node' | 'usedFrom'>
  onClose(): void
  onDone(): void
}

/** Sets whether the used amounts of a host come from its report or from claims: first what that changes, then the change. */
export function SetUsedFrom({ host, onClose, onDone }: SetUsedFromProps) {
  const [reason, setReason] = useState('')
  const [preview, setPreview] = useState<Impact | undefined>()
  const { problem, isBusy, see, make, forget } = useChange()
  const usedFrom = host.usedFrom === 'CLAIMS' ? 'REPORT' : 'CLAIMS'
  const step = (dryRun: boolean) => () => setUsedFromOf({ host, usedFrom, reason: reason.trim(), dryRun })
  return (
    <Dialog title={`Set where the used amounts of ${labelOf({ host: host.name, node: host.node })} come from`} size="lg" onClose={onClose}>
      <Stack gap="sm">
        <Text size="sm">
          {usedFrom === 'CLAIMS'
            ? 'From claims alone: what the host reports as used is not looked at. Right only for a host on which every instance has a claim.'
            : 'From the report of the host again, with the claims that it does not show next to that.'}
        </Text>
        <TextInput
          label="Reason"
          description="For those who ask later; it is shown with the host."
          required
          value={reason}
          onChange={({ currentTarget: { value } }) => {
            setReason(value)
            setPreview(undefined)
            forget()
          }}
          data-autofocus
        />
        {preview === undefined ? null : <Changed impact={preview} />}
        {problem === undefined ? null : <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="subtle" onClick={onClose}>
            Cancel
          </Button>
          {preview === undefined ? (
            <Button onClick={() => see(step(true), setPreview)} loading={isBusy} disabled={reason.trim() === ''}>
              See what it changes
            </Button>
          ) : (
            <Button onClick={() => make(step(false), onDone)} loading={isBusy}>
              Use {usedFrom === 'CLAIMS' ? 'claims' : 'the report'}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}

function Changed({ impact: { claimsOnAffectedHosts, warnings } }: { readonly impact: Impact }) {
  return (
    <Alert color="yellow" role="status" title="Nothing is changed yet">
      <Text size="sm">
        The host has {formatCount(claimsOnAffectedHosts)} live {claimsOnAffectedHosts === 1 ? 'claim' : 'claims'}.
      </Text>
      {warnings.length === 0 ? <Text size="sm">As much of every resource class stays free.</Text> : null}
      {warnings.map((warning) => (
        <Text size="sm" key={warning}>
          {warning}
        </Text>
      ))}
    </Alert>
  )
}

interface Step extends Pick<SetUsedFromProps, 'host'> {
  readonly usedFrom: HostDetail['usedFrom']
  readonly reason: string
  readonly dryRun: boolean
}

/** Throws what the service refuses. */
async function setUsedFromOf({ host: { name, node }, ...step }: Step): Promise<Impact> {
  const { hostSetUsedFrom: answer } = await request(SET_USED_FROM, { hosts: [{ host: name, node }], ...step })
  if (answer.__typename === 'HostSetUsedFromPayload') return answer.impact
  const issues = answer.__typename === 'ValidationError' ? answer.issues.map(({ message }) => message) : []
  throw new Error([answer.message, ...issues].join(' '))
}
