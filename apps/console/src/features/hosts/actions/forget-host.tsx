import { Alert, Checkbox, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { labelOfHost } from '../../../lib/host-label.ts'
import { request } from '../../../lib/service/api.ts'
import { usePreview } from '../../../lib/service/use-preview.ts'
import { PreviewDialog } from '../../../ui/dialog/preview-dialog.tsx'
import { ReasonInput } from '../../../ui/dialog/reason-input.tsx'
import { FORGET } from './leaving-documents.ts'
import { type Impact, type LeavingHost, LeavingImpact, LeavingProblem, refuse } from './leaving-impact.tsx'

interface ForgetHostProps {
  readonly host: LeavingHost
  onClose(): void
  onDone(): void
}

/** The dialog to remove a host from the fleet. Claims end only if the operator ticked the checkbox. */
export function ForgetHost({ host, onClose, onDone }: ForgetHostProps) {
  const [reason, setReason] = useState('')
  const [isForced, setForced] = useState(false)
  const change = usePreview<Impact>()
  const impact = change.effect
  const label = labelOfHost(host)
  const step = (dryRun: boolean): Promise<Impact> =>
    // only as many claims as were previewed may end, so the service refuses the change if the host now has another count of claims
    forgetHost({ host, force: dryRun || isForced, expectedClaims: impact?.claimCount ?? null, reason: reason.trim(), dryRun })
  const count = impact?.claimCount ?? 0
  const claims = count === 1 ? '1 claim' : `${formatCount(count)} claims`
  return (
    <PreviewDialog
      title={`Forget ${label}`}
      change={change}
      isReady={reason.trim() !== ''}
      previewLabel="Preview the impact"
      makeLabel={isForced ? `Forget the host and end ${claims}` : 'Forget the host'}
      mayMake={count === 0 || isForced}
      isDestructive
      problem={LeavingProblem}
      step={step}
      onClose={onClose}
      onDone={onDone}
    >
      <Text size="sm">
        For a machine that is permanently gone. It leaves all lists, counts and placements; its history stays, and reports under its name
        are refused until it is readmitted. For the same machine under another name, use Replace.
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
          claims={count === 1 ? 'is on the host' : 'are on the host'}
          aggregates="The host leaves the aggregates"
          keys="API keys bound to the host, which cannot report for it afterwards:"
        />
      )}
      {count === 0 ? null : (
        <Alert color="red" role="alert" title={`Blocked by ${claims}`}>
          <Stack gap="xs">
            <Text size="sm">
              A host with claims cannot be forgotten. Evacuate the host, or release its claims first. Or end the claims here: they become
              REVOKED at once, later calls about them are refused, and instances that still run continue without a claim.
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
