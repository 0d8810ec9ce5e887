import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { labelOfHost } from '../../../lib/host-label.ts'
import { request } from '../../../lib/service/api.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { usePreview } from '../../../lib/service/use-preview.ts'
import { PreviewDialog } from '../../../ui/dialog/preview-dialog.tsx'
import { ReasonInput } from '../../../ui/dialog/reason-input.tsx'
import { readHostName } from '../host-row.ts'
import { REPLACE } from './leaving-documents.ts'
import { type LeavingHost, LeavingImpact, LeavingProblem, refuse } from './leaving-impact.tsx'

type Replaced = Extract<ResultOf<typeof REPLACE>['hostReplace'], { readonly __typename: 'HostReplacePayload' }>

interface ReplaceHostProps {
  readonly host: LeavingHost
  onClose(): void
  /** Called with the host's new name. */
  onDone(renamed: { readonly name: string; readonly node: string }): void
}

/** The dialog to rename a host after its machine changed its name. */
export function ReplaceHost({ host, onClose, onDone }: ReplaceHostProps) {
  const [by, setBy] = useState('')
  const [reason, setReason] = useState('')
  const change = usePreview<Replaced>()
  const preview = change.effect
  const label = labelOfHost(host)
  const done = ({ hosts: [renamed = host] }: Replaced): void => onDone(renamed)
  return (
    <PreviewDialog
      title={`Replace ${label}`}
      change={change}
      isReady={by.trim() !== '' && reason.trim() !== ''}
      previewLabel="Preview the changes"
      makeLabel={`Rename the host to ${by.trim()}`}
      problem={LeavingProblem}
      step={(dryRun) => replaceHost({ host, by: by.trim(), reason: reason.trim(), dryRun })}
      onClose={onClose}
      onDone={done}
    >
      <Text size="sm">
        For the same machine under another name. Claims, server groups, aggregates and API keys follow; reports under the present name are
        refused afterwards.
      </Text>
      <TextInput
        label="New name"
        description="The name under which the host reports from now on: HOST or HOST/NODE. The host may already have reported under this name."
        required
        value={by}
        onChange={({ currentTarget: { value } }) => change.edit(setBy)(value)}
        data-autofocus
      />
      <ReasonInput value={reason} shown="shown in its timeline" isFirst={false} onChange={change.edit(setReason)} />
      {preview === undefined ? null : (
        <LeavingImpact
          host={host}
          impact={preview.impact}
          claims={preview.impact.claimCount === 1 ? 'follows the host' : 'follow the host'}
          aggregates="The host gets its new name in the aggregates"
          keys="API keys that are bound to the host may report under the new name as well:"
        >
          {preview.merged.map(({ name, node, hasOtherNodes }) => (
            <Text size="sm" key={`${name}/${node}`}>
              {labelOfHost({ name, node, hasOtherNodes })} has reported already. It is no longer a separate host: its report becomes that of{' '}
              {label}.
            </Text>
          ))}
        </LeavingImpact>
      )}
    </PreviewDialog>
  )
}

interface Step extends Pick<ReplaceHostProps, 'host'> {
  readonly by: string
  readonly reason: string
  readonly dryRun: boolean
}

async function replaceHost({ host: { name, node }, by, ...step }: Step): Promise<Replaced> {
  const { hostReplace: answer } = await request(REPLACE, { host: { host: name, node }, by: readHostName(by), ...step })
  return answer.__typename === 'HostReplacePayload' ? answer : refuse(answer)
}
