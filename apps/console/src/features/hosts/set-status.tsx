import { Alert, Button, Group, Modal, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { request } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { Problem } from '../../ui/problem.tsx'
import { SET_STATUS } from './documents.ts'
import { labelOf } from './host-row.ts'
import type { HostDetail } from './host-usage.tsx'

type Status = HostDetail['status']
type Payload = Extract<ResultOf<typeof SET_STATUS>['hostSetStatus'], { readonly __typename: 'HostSetStatusPayload' }>

const statuses: readonly { readonly value: Status; readonly label: string }[] = [
  { value: 'ENABLED', label: 'Enabled' },
  { value: 'DISABLED', label: 'Disabled' },
  { value: 'DRAINING', label: 'Draining' },
  { value: 'MAINTENANCE', label: 'Maintenance' },
]

export interface SetStatusProps {
  readonly host: string
  readonly node: string
  readonly status: Status
  onClose(): void
  onDone(): void
}

/** Opens or closes the host for new instances: first what that touches, then the deed. What was written stays on any failure. */
export function SetStatus({ host, node, status, onClose, onDone }: SetStatusProps) {
  const [wanted, setWanted] = useState<Status>(status)
  const [reason, setReason] = useState('')
  const [preview, setPreview] = useState<Payload | undefined>()
  const [problem, setProblem] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)

  const change = (edit: () => void): void => {
    edit()
    setPreview(undefined)
    setProblem(undefined)
  }
  const send = (dryRun: boolean): void => {
    setBusy(true)
    setProblem(undefined)
    request(SET_STATUS, { host, node, status: wanted, reason: reason.trim(), dryRun })
      .then(({ hostSetStatus: answer }) => {
        if (answer.__typename !== 'HostSetStatusPayload') setProblem(new Error(messageOf(answer)))
        else if (dryRun) setPreview(answer)
        else onDone()
      }, setProblem)
      .finally(() => setBusy(false))
  }

  return (
    <Modal.Root opened onClose={onClose} size="lg">
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Body>
          <Stack gap="sm">
            <Modal.Title fw={600}>Set the status of {labelOf({ host, node })}</Modal.Title>
            <SegmentedControl
              aria-label="New status"
              fullWidth
              value={wanted}
              data={[...statuses]}
              onChange={(next) => change(() => setWanted(statuses.find(({ value }) => value === next)?.value ?? status))}
            />
            <TextInput
              label="Reason"
              description="For those who ask later; it is shown with the host."
              required
              value={reason}
              onChange={({ currentTarget: { value } }) => change(() => setReason(value))}
              data-autofocus
            />
            {preview === undefined ? null : <Impact preview={preview} />}
            {problem === undefined ? null : <Problem error={problem} />}
            <Group justify="flex-end">
              <Button variant="subtle" onClick={onClose}>
                Cancel
              </Button>
              {preview === undefined ? (
                <Button onClick={() => send(true)} loading={isBusy} disabled={reason.trim() === ''}>
                  See what it touches
                </Button>
              ) : (
                <Button onClick={() => send(false)} loading={isBusy}>
                  Set to {wanted.toLowerCase()}
                </Button>
              )}
            </Group>
          </Stack>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

function Impact({ preview: { impact } }: { readonly preview: Payload }) {
  return (
    <Alert color="yellow" role="status" title="Nothing is changed yet">
      <Text size="sm">
        It touches {formatCount(impact.hostsAffected)} {impact.hostsAffected === 1 ? 'host' : 'hosts'} with{' '}
        {formatCount(impact.claimsOnAffectedHosts)} live {impact.claimsOnAffectedHosts === 1 ? 'claim' : 'claims'}.
      </Text>
      {impact.warnings.map((warning) => (
        <Text size="sm" key={warning}>
          {warning}
        </Text>
      ))}
    </Alert>
  )
}

type Refused = Exclude<ResultOf<typeof SET_STATUS>['hostSetStatus'], { readonly __typename: 'HostSetStatusPayload' }>

const messageOf = (refused: Refused): string =>
  refused.__typename === 'ValidationError' ? [refused.message, ...refused.issues.map(({ message }) => message)].join(' ') : refused.message
