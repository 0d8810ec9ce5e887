import { SegmentedControl, Text } from '@mantine/core'
import { useState } from 'react'
import { request } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { refusalText } from '../../lib/refusal.ts'
import { usePreview } from '../../lib/use-preview.ts'
import { Effects, PreviewDialog } from '../../ui/preview-dialog.tsx'
import { ReasonInput } from '../../ui/reason-input.tsx'
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

/** Opens or closes hosts for new instances. What was written stays on any failure. */
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
  return hosts.length === 1 && first !== undefined ? labelOf(first) : `${formatCount(hosts.length)} hosts`
}

/** Every one by its name, so that nobody has to guess what was chosen. */
function Names({ hosts }: Pick<SetStatusProps, 'hosts'>) {
  return (
    <ScrollBox label="The selected hosts" maxHeight="120px">
      <Text size="sm" className="mono" data-hosts={hosts.length}>
        {hosts.map(labelOf).join(', ')}
      </Text>
    </ScrollBox>
  )
}

const effectsOf = ({ hostsAffected: hosts, claimsOnAffectedHosts: claims, warnings }: Impact): readonly string[] => [
  `It affects ${formatCount(hosts)} ${hosts === 1 ? 'host' : 'hosts'} with ${formatCount(claims)} live ${claims === 1 ? 'claim' : 'claims'}.`,
  ...warnings,
]

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
