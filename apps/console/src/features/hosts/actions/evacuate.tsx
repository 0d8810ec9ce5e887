import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { hostLabel, labelOfHost, type ShownHost } from '../../../lib/host-label.ts'
import { request } from '../../../lib/service/api.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { useChange } from '../../../lib/service/use-change.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { SmallTable } from '../../../ui/table/small-table.tsx'
import { EVACUATE } from '../documents.ts'

type Answer = ResultOf<typeof EVACUATE>['hostEvacuate']

/** The destination of a claim, or the reason why the claim is not moved. */
interface Move {
  readonly claim: string
  readonly instance: string | null
  readonly to: string | null
  readonly why: string
}

interface Found {
  /** False for a preview. A preview reserves nothing. */
  readonly isDone: boolean
  readonly moves: readonly Move[]
  /** How many instances of the host have no claim. These instances are not moved. */
  readonly withoutClaims: number
}

interface EvacuateProps extends ShownHost {
  onClose(): void
  onDone(): void
}

/** The dialog to evacuate a host. It first previews the destination of each claim, and then reserves the resources there. */
export function Evacuate({ host, node, hasOtherNodes, onClose, onDone }: EvacuateProps) {
  // one idempotency key for all presses of the button, so that a call whose answer was lost can be retried
  const [key] = useState(() => `console-${crypto.randomUUID()}`)
  const [found, setFound] = useState<Found | undefined>()
  const { problem, isBusy, see, make } = useChange()
  const send = (dryRun: boolean) => async () => {
    const input = { host: { host, node }, idempotencyKey: key, claim: { mode: 'RESERVE', ttl: HELD } as const, deadline: 'PT60S' }
    return foundIn((await request(EVACUATE, { input, dryRun })).hostEvacuate)
  }
  const hold = (): void =>
    make(send(false), (done) => {
      setFound(done)
      onDone()
    })
  const staying = found?.moves.filter(({ to }) => to === null).length ?? 0
  return (
    <Dialog title={`Evacuate ${hostLabel({ host, node, hasOtherNodes })}`} size="xl" onClose={onClose}>
      <Stack gap="sm">
        <Text size="sm">
          A destination is found and reserved for half an hour for every claim of the host. The claims on this host stay until the service
          that moves the instances confirms or reverts the moves. Disable the host first (Set status), or new instances may arrive
          meanwhile.
        </Text>
        {found === undefined ? null : <NotMoving count={found.withoutClaims} />}
        {found === undefined ? null : <Moves found={found} staying={staying} />}
        {problem === undefined ? null : <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="subtle" onClick={onClose}>
            {found?.isDone ? 'Done' : 'Cancel'}
          </Button>
          {found === undefined ? (
            <Button onClick={() => see(send(true), setFound)} loading={isBusy} data-autofocus>
              Preview the moves
            </Button>
          ) : found.isDone ? null : (
            <Button onClick={hold} loading={isBusy} disabled={found.moves.length === staying}>
              Reserve {formatCount(found.moves.length - staying)} {found.moves.length - staying === 1 ? 'destination' : 'destinations'}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}

/** How long the resources are reserved for the moves. */
const HELD = 'PT30M'

/** Warns that instances do not move, and that powering the host off would end them. */
function NotMoving({ count }: { readonly count: number }) {
  if (count === 0) return null
  const title = count === 1 ? '1 instance will not move' : `${formatCount(count)} instances will not move`
  return (
    <Alert color="red" role="alert" title={title} data-without-claims={count}>
      {count === 1 ? 'The instance runs on this host without a claim.' : 'The instances run on this host without claims.'} An evacuation
      moves claims only, so the host is not empty afterwards. Move the {count === 1 ? 'instance' : 'instances'} by other means before
      stopping the host.
    </Alert>
  )
}

function Moves({ found: { isDone, moves }, staying }: { readonly found: Found; readonly staying: number }) {
  if (moves.length === 0) return <Alert color="blue" role="status" title="No claim is on this host, so there is nothing to move" />
  const placed = moves.length - staying
  const counts = `${formatCount(placed)} of ${formatCount(moves.length)}`
  return (
    <>
      <Alert
        color={staying > 0 ? 'yellow' : 'blue'}
        role="status"
        title={isDone ? `${counts} have a destination now` : `${counts} would find a destination; nothing is changed yet`}
      />
      <SmallTable
        label="Destinations of the claims"
        maxHeight="320px"
        attributes={{ 'data-moves': moves.length }}
        rows={moves}
        rowKey={({ claim }) => claim}
        columns={[
          { head: 'Instance', className: 'mono', cell: ({ instance }) => instance ?? 'unnamed' },
          { head: 'To', cell: ({ to }) => to ?? <b>stays</b> },
          { head: 'Why it stays', cell: ({ why }) => why },
        ]}
      />
    </>
  )
}

/** Converts both types of answer to one form. Throws if the service refused the call. */
function foundIn(answer: Answer): Found {
  if (answer.__typename === 'HostEvacuatePreview')
    return {
      isDone: false,
      withoutClaims: answer.instancesWithoutClaims,
      moves: answer.moves.map(({ claim, destination, message }) => ({
        claim: claim.id,
        instance: claim.instanceUuid,
        to: destination === null ? null : labelOfHost(destination),
        why: message ?? '',
      })),
    }
  if (answer.__typename === 'HostEvacuatePayload')
    return {
      isDone: true,
      withoutClaims: answer.instancesWithoutClaims,
      moves: answer.moves.map(({ claim, result }) => {
        const [first] = result.__typename === 'SelectDestinationsPayload' ? result.destinations : []
        const there = first?.selected.host
        return {
          claim: claim.id,
          instance: claim.instanceUuid,
          to: there === undefined ? null : labelOfHost(there),
          why: result.__typename === 'SelectDestinationsPayload' ? '' : result.message,
        }
      }),
    }
  throw new Error(answer.message)
}
