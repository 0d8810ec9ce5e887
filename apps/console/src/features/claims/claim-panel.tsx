import { Code, Stack, Text } from '@mantine/core'
import { formatGib, formatTime, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { labelOfHost } from '../../lib/host-label.ts'
import { useOperation } from '../../lib/service/api.ts'
import type { ResultOf } from '../../lib/service/graphql.ts'
import { TimeLeft } from '../../ui/age.tsx'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { PanelHead, PanelLoading } from '../../ui/dialog/side-panel.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Stale } from '../../ui/stale.tsx'
import { holdsOf } from './claim-columns.tsx'
import { CLAIM } from './documents.ts'

type Claim = NonNullable<ResultOf<typeof CLAIM>['claim']>

const REFRESH_MS = 5_000

/** One claim in the side panel: its resources, account, times, and decision. */
export function ClaimPanel({ id }: { readonly id: string }) {
  const { data, error, refetch, dataUpdatedAt } = useOperation(CLAIM, { id }, { keepPrevious: false, everyMs: REFRESH_MS })
  if (data === undefined) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <PanelLoading />
  const { claim } = data
  if (claim === null)
    return (
      <Text size="sm">
        No claim has the id <Code>{id}</Code>; ended claims are kept for a limited time only.
      </Text>
    )
  const { instanceUuid, state, reason, account, fence, serverGroup, pools, moveOf, movingTo, decision } = claim
  return (
    <Stale error={error} atMs={dataUpdatedAt} everyMs={REFRESH_MS}>
      <Stack gap="sm">
        {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
        <PanelHead>{instanceUuid ?? 'Unnamed instance'}</PanelHead>
        <Facts>
          <Fact term="State">
            {state.toLowerCase()}
            {reason === null ? '' : `: ${reason}`}
          </Fact>
          <Fact term="Host">
            <HostLink host={claim.host} />
          </Fact>
          {moveOf === null ? null : (
            <Fact term="Moves from">
              <HostLink host={moveOf.host} />
            </Fact>
          )}
          {movingTo === null ? null : (
            <Fact term="Moves to">
              <HostLink host={movingTo.host} />
            </Fact>
          )}
          <Fact term="Resources">
            {holdsOf(claim)}
            {pools.map(({ pool, gib }) => (
              <div key={pool}>
                of it in pool <span className="mono">{pool}</span>: {formatGib(gib)}
              </div>
            ))}
          </Fact>
          <Times claim={claim} />
          <Fact term="Account">{account}</Fact>
          <Fact term="Fence">{fence}</Fact>
          {serverGroup === null ? null : (
            <Fact term="Server group">
              <span className="mono">{serverGroup}</span>
            </Fact>
          )}
          <Fact term="Decision">
            <AnchorLink to="/decisions/$id" params={{ id: decision.id }} size="sm">
              {decision.spec.flavorName ?? 'its decision'}
            </AnchorLink>
          </Fact>
        </Facts>
      </Stack>
    </Stale>
  )
}

/** When the claim began, and when it ends. */
function Times({ claim: { createdAt, confirmedAt, expiresAt, releasedAt, heldUntil } }: { readonly claim: Claim }) {
  return (
    <>
      <Fact term="Created">
        <Time at={createdAt} />
      </Fact>
      {confirmedAt === null ? null : (
        <Fact term="Confirmed">
          <Time at={confirmedAt} />
        </Fact>
      )}
      {releasedAt === null ? (
        <Fact term="Expires">{expiresAt === null ? 'no expiry' : <TimeLeft untilMs={Date.parse(expiresAt)} />}</Fact>
      ) : (
        <Fact term="Ended">
          <Time at={releasedAt} />
        </Fact>
      )}
      {heldUntil === null ? null : (
        <Fact term="Amounts stay held">
          <TimeLeft untilMs={Date.parse(heldUntil)} />
        </Fact>
      )}
    </>
  )
}

function Time({ at }: { readonly at: string }) {
  const zone = useTimeZone()
  return <span title={titleOfTime(at)}>{formatTime(at, zone)}</span>
}

function HostLink({ host }: { readonly host: { readonly name: string; readonly node: string; readonly hasOtherNodes: boolean } }) {
  const { name, node } = host
  return (
    <AnchorLink size="sm" to="/hosts/$host" params={{ host: name }} search={node === name ? {} : { node }}>
      {labelOfHost(host)}
    </AnchorLink>
  )
}
