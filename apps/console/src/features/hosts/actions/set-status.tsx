import { SegmentedControl, Text } from '@mantine/core'
import { useState } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { hostLabel, type ShownHost } from '../../../lib/host-label.ts'
import { request } from '../../../lib/service/api.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { refusalText } from '../../../lib/service/refusal.ts'
import { usePreview } from '../../../lib/service/use-preview.ts'
import { Effects, PreviewDialog } from '../../../ui/dialog/preview-dialog.tsx'
import { ReasonInput } from '../../../ui/dialog/reason-input.tsx'
import { ScrollBox } from '../../../ui/table/scroll-box.tsx'
import { SET_STATUS } from '../documents.ts'
import type { HostDetail } from '../host-usage.tsx'

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
  /** The hosts whose status is set. */
  readonly hosts: readonly ShownHost[]
  /** The present status if there is only one host. For several hosts the dialog suggests DISABLED. */
  readonly status?: Status
  onClose(): void
  onDone(): void
}

/** One call can have at most this many hosts. */
const MAX_HOSTS_PER_CALL = 1_000

/** The dialog to enable or disable hosts for new instances. After a failed call, the dialog stays open with its input. */
export function SetStatus({ hosts, status = 'DISABLED', onClose, onDone }: SetStatusProps) {
  const [wanted, setWanted] = useState<Status>(status)
  const [reason, setReason] = useState('')
  const change = usePreview<Impact>()
  return (
    <PreviewDialog
      title={`Set the status of ${named(hosts)}`}
      change={change}
      isReady={reason.trim() !== ''}
      previewLabel="Preview the impact"
      makeLabel={`Set to ${wanted.toLowerCase()}`}
      step={(dryRun) => setStatusOf(hosts, { status: wanted, reason: reason.trim(), dryRun })}
      onClose={onClose}
      onDone={onDone}
    >
      {hosts.length > 1 ? <Names hosts={hosts} /> : null}
      <SegmentedControl
        aria-label="New status"
        fullWidth
        value={wanted}
        data={[...statuses]}
        onChange={change.edit((next) => setWanted(statuses.find(({ value }) => value === next)?.value ?? status))}
      />
      <ReasonInput value={reason} shown="shown with the host" onChange={change.edit(setReason)} />
      {change.effect === undefined ? null : <Effects sentences={effectsOf(change.effect)} />}
    </PreviewDialog>
  )
}

function named(hosts: SetStatusProps['hosts']): string {
  const [first] = hosts
  return hosts.length === 1 && first !== undefined ? hostLabel(first) : `${formatCount(hosts.length)} hosts`
}

/** The names of all selected hosts. */
function Names({ hosts }: Pick<SetStatusProps, 'hosts'>) {
  return (
    <ScrollBox label="The selected hosts" maxHeight="120px">
      <Text size="sm" className="mono" data-hosts={hosts.length}>
        {hosts.map(hostLabel).join(', ')}
      </Text>
    </ScrollBox>
  )
}

const effectsOf = ({ hostsAffected: hosts, claimsOnAffectedHosts: claims, warnings }: Impact): readonly string[] => [
  `The change affects ${formatCount(hosts)} ${hosts === 1 ? 'host' : 'hosts'} with ${formatCount(claims)} live ${claims === 1 ? 'claim' : 'claims'}.`,
  ...warnings,
]

interface Step {
  readonly status: Status
  readonly reason: string
  readonly dryRun: boolean
}

/** Sends as many calls as needed, one after the other, and returns their combined effect. Throws an error at the first refusal. */
async function setStatusOf(hosts: SetStatusProps['hosts'], step: Step): Promise<Impact> {
  let sum: Impact = { hostsAffected: 0, claimsOnAffectedHosts: 0, warnings: [] }
  const names = hosts.map(({ host, node }) => ({ host, node }))
  for (let from = 0; from < hosts.length; from += MAX_HOSTS_PER_CALL) {
    const { hostSetStatus: answer } = await request(SET_STATUS, { hosts: names.slice(from, from + MAX_HOSTS_PER_CALL), ...step })
    if (answer.__typename !== 'HostSetStatusPayload') {
      const done = step.dryRun || from === 0 ? '' : ` The first ${formatCount(from)} were set.`
      throw new Error(`${refusalText(answer)}${done}`)
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
