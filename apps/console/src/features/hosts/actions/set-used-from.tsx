import { Text } from '@mantine/core'
import { useState } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { labelOfHost } from '../../../lib/host-label.ts'
import { request } from '../../../lib/service/api.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { refusalText } from '../../../lib/service/refusal.ts'
import { usePreview } from '../../../lib/service/use-preview.ts'
import { Effects, PreviewDialog } from '../../../ui/dialog/preview-dialog.tsx'
import { ReasonInput } from '../../../ui/dialog/reason-input.tsx'
import { SET_USED_FROM } from '../documents.ts'
import type { HostDetail } from '../host-usage.tsx'
import { capacityEffects } from './capacity-effects.ts'

type Answer = ResultOf<typeof SET_USED_FROM>['hostSetUsedFrom']
type Impact = Extract<Answer, { readonly __typename: 'HostSetUsedFromPayload' }>['impact']

export interface SetUsedFromProps {
  readonly host: Pick<HostDetail, 'name' | 'node' | 'usedFrom'>
  onClose(): void
  onDone(): void
}

/** The dialog to set whether the usage of a host is read from its report or computed from claims. */
export function SetUsedFrom({ host, onClose, onDone }: SetUsedFromProps) {
  const [reason, setReason] = useState('')
  const change = usePreview<Impact>()
  const usedFrom = host.usedFrom === 'CLAIMS' ? 'REPORT' : 'CLAIMS'
  return (
    <PreviewDialog
      title={`Set where the used amounts of ${labelOfHost(host)} come from`}
      change={change}
      isReady={reason.trim() !== ''}
      previewLabel="Preview the changes"
      makeLabel={`Use ${usedFrom === 'CLAIMS' ? 'claims' : 'the report'}`}
      step={(dryRun) => setUsedFromOf({ host, usedFrom, reason: reason.trim(), dryRun })}
      onClose={onClose}
      onDone={onDone}
    >
      <Text size="sm">
        {usedFrom === 'CLAIMS'
          ? 'From claims alone: the used amounts that the host reports are ignored. Right only for a host on which every instance has a claim.'
          : 'From the report of the host again, plus the claims that it does not show.'}
      </Text>
      <ReasonInput value={reason} shown="shown with the host" onChange={change.edit(setReason)} />
      {change.effect === undefined ? null : <Effects sentences={effectsOf(change.effect)} />}
    </PreviewDialog>
  )
}

const effectsOf = ({ claimsOnAffectedHosts: claims, warnings }: Impact): readonly string[] => [
  `The host has ${formatCount(claims)} live ${claims === 1 ? 'claim' : 'claims'}.`,
  ...capacityEffects(warnings),
]

interface Step extends Pick<SetUsedFromProps, 'host'> {
  readonly usedFrom: HostDetail['usedFrom']
  readonly reason: string
  readonly dryRun: boolean
}

async function setUsedFromOf({ host: { name, node }, ...step }: Step): Promise<Impact> {
  const { hostSetUsedFrom: answer } = await request(SET_USED_FROM, { hosts: [{ host: name, node }], ...step })
  if (answer.__typename === 'HostSetUsedFromPayload') return answer.impact
  throw new Error(refusalText(answer))
}
