import { Alert, Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { request } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { useChange } from '../../lib/use-change.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { SET_STATUS } from './documents.ts'
import { labelOf } from './host-row.ts'
import type { HostDetail } from './host-usage.tsx'

type Status = HostDetail['status']
type Payload = Extract<ResultOf<typeof SET_STATUS>['hostSetStatus'], { readonly __typename: 'HostSetStatusPayload' }>
type Impact = Pick<Payload['impact'], 'hostsAffected' | 'claimsOnAffectedHosts' | 'warnings'>

const statuses: readonly { readonly value: Status; readonly label: string }[] = [
  { value: 'ENABLED', label: 'Enabled' },
  { value: 'DISABLED', label: 'Disabled' },
  { value: 'DRAINING', label: 'Draining' },
  { value: 'MAINTENANCE', label: 'Maintenance' },
]

export interface SetStatusProps {
  /** Exactly these. */
  readonly hosts: readonly { readonly host: string; readonly node: string }[]
  /** What the one host has; disabled is suggested for many. */
  readonly status?: Status
  onClose(): void
  onDone(): void
}

/** The service takes so many in one call. */
const MOST_AT_ONCE = 1_000

/** Opens or closes hosts for new instances: first what that touches, then the deed. What was written stays on any failure. */
export function SetStatus({ hosts, status = 'DISABLED', onClose, onDone }: SetStatusProps) {
  const [wanted, setWanted] = useState<Status>(status)
  const [reason, setReason] = useState('')
  const [preview, setPreview] = useState<Impact | undefined>()
  const { problem, isBusy, see, make, forget } = useChange()

  const change = (edit: () => void): void => {
    edit()
    setPreview(undefined)
    forget()
  }
  const step = (dryRun: boolean) => () => setStatusOf(hosts, { status: wanted, reason: reason.trim(), dryRun })

  return (
    <Dialog title={`Set the status of ${named(hosts)}`} size="lg" onClose={onClose}>
      <Stack gap="sm">
        {hosts.length > 1 ? <Names hosts={hosts} /> : null}
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
        {preview === undefined ? null : <Touched impact={preview} />}
        {problem === undefined ? null : <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="subtle" onClick={onClose}>
            Cancel
          </Button>
          {preview === undefined ? (
            <Button onClick={() => see(step(true), setPreview)} loading={isBusy} disabled={reason.trim() === ''}>
              See what it touches
            </Button>
          ) : (
            <Button onClick={() => make(step(false), onDone)} loading={isBusy}>
              Set to {wanted.toLowerCase()}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}

function named(hosts: SetStatusProps['hosts']): string {
  const [first] = hosts
  return hosts.length === 1 && first !== undefined ? labelOf(first) : `${formatCount(hosts.length)} hosts`
}

/** Every one by its name, so that nobody has to guess what was chosen. */
function Names({ hosts }: Pick<SetStatusProps, 'hosts'>) {
  return (
    <ScrollBox label="The hosts that were chosen" maxHeight="120px">
      <Text size="sm" className="mono" data-hosts={hosts.length}>
        {hosts.map(labelOf).join(', ')}
      </Text>
    </ScrollBox>
  )
}

function Touched({ impact }: { readonly impact: Impact }) {
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

interface Step {
  readonly status: Status
  readonly reason: string
  readonly dryRun: boolean
}

/** In as many calls as it takes, one after the other; answers what they touch together. Throws at the first that is refused. */
async function setStatusOf(hosts: SetStatusProps['hosts'], step: Step): Promise<Impact> {
  let sum: Impact = { hostsAffected: 0, claimsOnAffectedHosts: 0, warnings: [] }
  for (let from = 0; from < hosts.length; from += MOST_AT_ONCE) {
    const { hostSetStatus: answer } = await request(SET_STATUS, { hosts: hosts.slice(from, from + MOST_AT_ONCE), ...step })
    if (answer.__typename !== 'HostSetStatusPayload') {
      const done = step.dryRun || from === 0 ? '' : ` The first ${formatCount(from)} were set.`
      throw new Error(`${messageOf(answer)}${done}`)
    }
    const { hostsAffected, claimsOnAffectedHosts, warnings } = answer.impact
    sum = {
      hostsAffected: sum.hostsAffected + hostsAffected,
      claimsOnAffectedHosts: sum.claimsOnAffectedHosts + claimsOnAffectedHosts,
      warnings: [...new Set([...sum.warnings, ...warnings])],
    }
  }
  return sum
}

type Refused = Exclude<ResultOf<typeof SET_STATUS>['hostSetStatus'], { readonly __typename: 'HostSetStatusPayload' }>

const messageOf = (refused: Refused): string =>
  refused.__typename === 'ValidationError' ? [refused.message, ...refused.issues.map(({ message }) => message)].join(' ') : refused.message
