import { graphql, type ResultOf } from '@gantt/client'
import type { Command } from 'commander'
import { batches } from '../../call/batches.ts'
import { type ConnectionFlags, connect, type ServiceClient } from '../../call/connection.ts'
import { CommandFailure, EXIT, notFound, REFUSAL, toRefusal } from '../../call/failure.ts'
import { showProgress } from '../../call/pages.ts'
import { duration } from '../../options/values.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { notEmpty } from '../host/hosts.ts'
import { CLAIM, toClaimTable } from './rows.ts'

interface Flags extends ConnectionFlags {
  readonly reason?: string
  readonly json?: true
}

type ExtendFlags = Flags & { readonly ttl: string }
type RevokeFlags = Flags & { readonly reason: string }

/** A claim with the fence that identifies its present state. */
export interface ClaimRef {
  readonly id: string
  readonly fence: number
}

/** One call changes at most this many claims. Its cost is then well below the cost limit of a call. */
const CLAIMS_PER_CALL = 100
const READ_AT_ONCE = 20

const RESULT = graphql(`fragment Edited on ClaimPayload { replayed claim { ...ClaimRow } }`, [CLAIM])

const CONFIRM = graphql(
  `mutation Confirm($claims: [ClaimRef!]!) { results: claimConfirm(claims: $claims) { __typename ...Edited ...Refusal } }`,
  [RESULT, REFUSAL],
)
const EXTEND = graphql(
  `mutation Extend($claims: [ClaimRef!]!, $ttl: Duration!) {
    results: claimExtend(claims: $claims, ttl: $ttl) { __typename ...Edited ...Refusal }
  }`,
  [RESULT, REFUSAL],
)
const RELEASE = graphql(
  `mutation Release($claims: [ClaimRef!]!, $reason: String) {
    results: claimRelease(claims: $claims, reason: $reason) { __typename ...Edited ...Refusal }
  }`,
  [RESULT, REFUSAL],
)
const REVOKE = graphql(
  `mutation Revoke($ids: [ID!]!, $reason: String!) {
    results: claimRevoke(ids: $ids, reason: $reason) { __typename ...Edited ...Refusal }
  }`,
  [RESULT, REFUSAL],
)
const ENDS = graphql(`query Fence($id: ID!) { claim(id: $id) { id fence moveOf { id } movingTo { id fence } } }`)

type Ended = ResultOf<typeof CONFIRM>['results'][number]
type MoveEnd = NonNullable<ResultOf<typeof ENDS>['claim']>

/** Sends one change for a batch of claims. */
type Edit<Given extends Flags> = (
  client: ServiceClient,
  claims: readonly ClaimRef[],
  flags: Given,
) => Promise<{ readonly results: readonly Ended[] }>

const confirmClaims: Edit<Flags> = (client, claims) => client.request(CONFIRM, { claims })
const extendClaims: Edit<ExtendFlags> = (client, claims, { ttl }) => client.request(EXTEND, { claims, ttl })
const releaseClaims: Edit<Flags> = (client, claims, { reason }) => client.request(RELEASE, { claims, reason })
const revokeClaims: Edit<RevokeFlags> = (client, claims, { reason }) => client.request(REVOKE, { ids: claims.map(({ id }) => id), reason })

/** `gantt claims confirm|revert|extend|release|revoke`: changes the state of claims. */
export function addClaimEdits(claims: Command): void {
  const confirm = claims
    .command('confirm')
    .description('make reservations permanent; confirming the destination claim of a move also releases the source claim')
    .argument('<claim...>', 'ids of the claims, as "gantt select" and "gantt claims" print them')
    .action((ids: readonly string[], _flags: Flags, command: Command) => edit(confirmClaims, ids, command.optsWithGlobals<Flags>()))
  withExamples(withService(confirm), [
    ['gantt claims confirm 7d0e6a52-...', 'confirm a reservation, so that it does not expire'],
    ['gantt claims confirm 1b9c8e11-...', 'end a move: the claim on the source host is released'],
  ])

  const revert = claims
    .command('revert')
    .description('cancel open moves by releasing the claims at their destinations')
    .argument('<claim...>', 'the claim at the source or at the destination of each move')
    .option('--reason <text>', 'reason for the change, stored with the claim at the destination')
    .action((ids: readonly string[], _flags: Flags, command: Command) =>
      edit(releaseClaims, ids, { reason: 'move reverted', ...command.optsWithGlobals<Flags>() }, readDestinations),
    )
  withExamples(withService(revert), [
    ['gantt claims revert 7d0e6a52-... --reason "the image did not boot"', 'cancel a move: the instance stays on its host'],
  ])

  const extend = claims
    .command('extend')
    .description('extend reservations')
    .argument('<claim...>', 'ids of the claims, as "gantt select" and "gantt claims" print them')
    .requiredOption('--ttl <duration>', 'time from now until the reservations expire, PT1S to PT24H', duration)
    .action((ids: readonly string[], _flags: Flags, command: Command) => edit(extendClaims, ids, command.optsWithGlobals<ExtendFlags>()))
  withExamples(withService(extend), [['gantt claims extend 7d0e6a52-... --ttl PT10M', 'let a reservation last ten minutes from now']])

  const release = claims
    .command('release')
    .description('release claims')
    .argument('<claim...>', 'ids of the claims, as "gantt select" and "gantt claims" print them')
    .option('--reason <text>', 'reason for the change, stored with the claims')
    .action((ids: readonly string[], _flags: Flags, command: Command) => edit(releaseClaims, ids, command.optsWithGlobals<Flags>()))
  withExamples(withService(release), [
    ['gantt claims release 7d0e6a52-... --reason "given up"', 'release a claim that is not needed any more'],
  ])

  const revoke = claims
    .command('revoke')
    .description('end claims regardless of their owners; the next call of an owner about such a claim is refused')
    .argument('<claim...>', 'ids of the claims, as "gantt select" and "gantt claims" print them')
    .requiredOption('--reason <text>', 'reason for the change, stored with the claims', notEmpty)
    .action((ids: readonly string[], _flags: Flags, command: Command) => edit(revokeClaims, ids, command.optsWithGlobals<RevokeFlags>()))
  withExamples(withService(revoke), [['gantt claims revoke 7d0e6a52-... --reason "rack 4 burns"', 'revoke a claim of any account']])
}

const edit = <Given extends Flags>(call: Edit<Given>, ids: readonly string[], flags: Given, read = readRefs): Promise<void> =>
  run(flags, async () => {
    const client = connect(flags)
    const claims = await read(client, ids)
    const results: Ended[] = []
    for (const batch of batches(claims, CLAIMS_PER_CALL)) {
      results.push(...(await call(client, batch, flags)).results)
      showProgress(results.length, claims.length, results.length === claims.length)
    }
    return toResult(ids, results)
  })

/** Reads the claims with their present fences. With these fences, the service refuses the change of a claim that has changed since then. */
export async function readRefs(client: ServiceClient, ids: readonly string[]): Promise<readonly ClaimRef[]> {
  return (await readEnds(client, ids)).map(({ id, fence }) => ({ id, fence }))
}

/** Returns the claim at the destination of each open move. An id may be that of the claim at the source or at the destination of a move. */
async function readDestinations(client: ServiceClient, ids: readonly string[]): Promise<readonly ClaimRef[]> {
  return (await readEnds(client, ids)).map(({ id, fence, moveOf, movingTo }, at) => {
    if (movingTo !== null) return movingTo
    if (moveOf !== null) return { id, fence }
    throw new CommandFailure(EXIT.refused, `claim ${ids[at]} is not moving; nothing was changed`)
  })
}

async function readEnds(client: ServiceClient, ids: readonly string[]): Promise<readonly MoveEnd[]> {
  const read = async (id: string): Promise<MoveEnd> => {
    const { claim } = await client.request(ENDS, { id })
    if (claim === null) throw notFound(`there is no claim ${id}; nothing was changed`)
    return claim
  }
  const claims: MoveEnd[] = []
  for (const batch of batches(ids, READ_AT_ONCE)) claims.push(...(await Promise.all(batch.map(read))))
  return claims
}

/** The result of a command for several claims. Refused claims are listed, and the command then exits with 1. */
function toResult(ids: readonly string[], results: readonly Ended[]): Result {
  const done = results.flatMap((result) => (result.__typename === 'ClaimPayload' && result.claim !== null ? [result.claim] : []))
  const refused = results.flatMap((result, at) =>
    result.__typename === 'ClaimPayload' ? [] : [`${ids[at]}: ${toRefusal(result).message}`],
  )
  return {
    lines: [...(done.length === 0 ? [] : toClaimTable(done)), ...refused],
    json: { results },
    exitCode: refused.length === 0 ? EXIT.done : EXIT.refused,
  }
}
