import { Alert, Checkbox, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { request } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import { usePreview } from '../../lib/use-preview.ts'
import { PreviewDialog } from '../../ui/preview-dialog.tsx'
import { ReasonInput } from '../../ui/reason-input.tsx'
import { labelOf } from './host-row.ts'
import { FORGET } from './leaving-documents.ts'
import { type Impact, type LeavingHost, LeavingImpact, LeavingProblem, refuse } from './leaving-impact.tsx'

interface ForgetHostProps {
  readonly host: LeavingHost
  onClose(): void
  onDone(): void
}

/** Takes a host out of the fleet. Claims end only where that was ticked. */
export function ForgetHost({ host, onClose, onDone }: ForgetHostProps) {
  const [reason, setReason] = useState('')
  const [isForced, setForced] = useState(false)
  const change = usePreview<Impact>()
  const impact = change.effect
  const label = labelOf({ host: host.name, node: host.node })
  const step = (dryRun: boolean): Promise<Impact> =>
    // what ends is what was seen: with a claim more or less it is seen again first
    forgetHost({ host, force: dryRun || isForced, expectedClaims: impact?.claimCount ?? null, reason: reason.trim(), dryRun })
  const count = impact?.claimCount ?? 0
  const claims = count === 1 ? '1 claim' : `${formatCount(count)} claims`
  return (
    <PreviewDialog
      title={`Forget ${label}`}
      change={change}
      isReady={reason.trim() !== ''}
      previewLabel="Preview the impact"
      makeLabel={isForced ? `Forget it and end ${claims}` : 'Forget it'}
      mayMake={count === 0 || isForced}
      isDestructive
      problem={LeavingProblem}
      step={step}
      onClose={onClose}
      onDone={onDone}
    >
      <Text size="sm">
        For a machine that is gone for good. It leaves all lists, counts and placements; its history stays, and reports under its name are
        refused until it is readmitted. For the same machine under another name, use Replace.
      </Text>
      <ReasonInput
        value={reason}
        shown="shown with the host and with each ended claim"
        onChange={change.edit((value) => {
          setReason(value)
          setForced(false)
        })}
      />
      {impact === undefined ? null : (
        <LeavingImpact
          host={host}
          impact={impact}
          claims={count === 1 ? 'is on it' : 'are on it'}
          aggregates="It leaves the aggregates"
          keys="API keys bound to it, which cannot report for it afterwards:"
        />
      )}
      {count === 0 ? null : (
        <Alert color="red" role="alert" title={`${claims} in the way`}>
          <Stack gap="xs">
            <Text size="sm">
              A host with claims is not forgotten: evacuate it, or release them first. Or end them here: they become REVOKED at once, their
              holders learn it at their next call, and instances that still run go on without a claim.
            </Text>
            <Checkbox label={`End its ${claims}`} checked={isForced} onChange={({ currentTarget: { checked } }) => setForced(checked)} />
          </Stack>
        </Alert>
      )}
    </PreviewDialog>
  )
}

interface Step extends Pick<ForgetHostProps, 'host'> {
  readonly force: boolean
  readonly expectedClaims: number | null
  readonly reason: string
  readonly dryRun: boolean
}

async function forgetHost({ host: { name, node }, ...step }: Step): Promise<Impact> {
  const { hostForget: answer } = await request(FORGET, { hosts: [{ host: name, node }], ...step })
  return answer.__typename === 'HostForgetPayload' ? answer.impact : refuse(answer)
}
