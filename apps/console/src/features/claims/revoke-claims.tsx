import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { queryClient, request } from '../../lib/service/api.ts'
import type { ResultOf } from '../../lib/service/graphql.ts'
import { useChange } from '../../lib/service/use-change.ts'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { ReasonInput } from '../../ui/dialog/reason-input.tsx'
import { Problem } from '../../ui/problem.tsx'
import { ScrollBox } from '../../ui/table/scroll-box.tsx'
import { type ClaimRow, holdsOf } from './claim-columns.tsx'
import { REVOKE } from './documents.ts'

interface RevokeClaimsProps {
  /** The claims to end. */
  readonly claims: readonly ClaimRow[]
  onClose(): void
  onDone(): void
}

type Answer = ResultOf<typeof REVOKE>['claimRevoke'][number]

/**
 * The dialog that lists claims and then ends them. The reason is stored for later readers. Later calls that change one of these claims are
 * refused with ClaimLost.
 */
export function RevokeClaims({ claims, onClose, onDone }: RevokeClaimsProps) {
  const [reason, setReason] = useState('')
  const [answers, setAnswers] = useState<readonly Answer[] | undefined>()
  const { problem, isBusy, make } = useChange()
  const refused = answers?.flatMap((answer, i) => (answer.__typename === 'ClaimPayload' ? [] : [{ claim: claims[i], answer }])) ?? []
  const revoke = (): void =>
    make(
      () => request(REVOKE, { ids: claims.map(({ id }) => id), reason: reason.trim() }),
      ({ claimRevoke }) => {
        void queryClient.invalidateQueries()
        if (claimRevoke.every(({ __typename }) => __typename === 'ClaimPayload')) onDone()
        else setAnswers(claimRevoke)
      },
    )
  const what = `${formatCount(claims.length)} ${claims.length === 1 ? 'claim' : 'claims'}`
  return (
    <Dialog onClose={onClose} title={`Revoke ${what}`} size="lg">
      <Stack gap="sm">
        <Text size="sm">
          Their resources are released at once, even if instances still run there. Their holders get CLAIM_LOST at the next call.
        </Text>
        <ScrollBox label="The claims" maxHeight="220px">
          <List size="sm" data-revoked={claims.length}>
            {claims.map((claim) => (
              <List.Item key={claim.id}>
                {claim.instanceUuid ?? 'An instance without a name'} on {claim.host.name}, of {claim.account}: {claim.state.toLowerCase()},{' '}
                {holdsOf(claim)}
              </List.Item>
            ))}
          </List>
        </ScrollBox>
        <ReasonInput value={reason} shown="shown with each claim" onChange={setReason} />
        {problem === undefined ? null : <Problem error={problem} />}
        {refused.length === 0 ? null : (
          <Alert color="yellow" role="alert" title={`${formatCount(refused.length)} of them were not revoked`}>
            {refused.map(({ claim, answer }) => (
              <div key={claim?.id}>
                {claim?.instanceUuid ?? claim?.id}: {messageOf(answer)}
              </div>
            ))}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="subtle" onClick={answers === undefined ? onClose : onDone}>
            {answers === undefined ? 'Cancel' : 'Done'}
          </Button>
          {answers === undefined ? (
            <Button color="red" loading={isBusy} disabled={reason.trim() === ''} onClick={revoke}>
              Revoke {what}
            </Button>
          ) : null}
        </Group>
      </Stack>
    </Dialog>
  )
}

function messageOf(answer: Answer): string {
  switch (answer.__typename) {
    case 'ClaimPayload':
      return 'ended'
    case 'ValidationError':
      return answer.issues.map(({ message }) => message).join(' ') || answer.message
    default:
      return answer.message
  }
}
