import type { Client } from '@gantt/client'
import type { Command } from 'commander'
import { batches } from './batches.ts'
import { CLAIM, type ClaimRow, toClaimTable } from './claim-rows.ts'
import { type ConnectionFlags, connect } from './connection.ts'
import { CommandFailure, EXIT, notThere, REFUSAL, type Refusal, toRefusal } from './failure.ts'
import { notEmpty } from './hosts.ts'
import { duration } from './options.ts'
import { type Result, run, withExamples, withService } from './output.ts'
import { showProgress } from './pages.ts'

interface Flags extends ConnectionFlags {
  readonly ttl?: string
  readonly reason?: string
  readonly json?: true
}

/** A claim, and the proof of which of its lives is meant. */
export interface ClaimRef {
  readonly id: string
  readonly fence: number
}

/** Well below what one call may cost. */
const CLAIMS_PER_CALL = 100
const READ_AT_ONCE = 20

type Edit = 'claimConfirm' | 'claimExtend' | 'claimRelease' | 'claimRevoke'

type Ended = Refusal & { readonly claim?: ClaimRow | null }

const RESULT = `{ __typename ... on ClaimPayload { replayed claim { ${CLAIM} } } ${REFUSAL} }`

const DOCUMENTS: Readonly<Record<Edit, string>> = {
  claimConfirm: `mutation Confirm($claims: [ClaimRef!]!) { results: claimConfirm(claims: $claims) ${RESULT} }`,
  claimExtend: `mutation Extend($claims: [ClaimRef!]!, $ttl: Duration!) { results: claimExtend(claims: $claims, ttl: $ttl) ${RESULT} }`,
  claimRelease: `mutation Release($claims: [ClaimRef!]!, $reason: String) {
    results: claimRelease(claims: $claims, reason: $reason) ${RESULT}
  }`,
  claimRevoke: `mutation Revoke($ids: [ID!]!, $reason: String!) { results: claimRevoke(ids: $ids, reason: $reason) ${RESULT} }`,
}

/** `gantt claims confirm|revert|extend|release|revoke`: what becomes of room that is held. */
export function addClaimEdits(claims: Command): void {
  const confirm = claims
    .command('confirm')
    .description('hold the room of reservations for good; at the destination of a move: leave the source, in the same step')
    .argument('<claim...>', 'ids, as select and claims print them')
    .action((ids: readonly string[], _flags: Flags, command: Command) => edit('claimConfirm', ids, command.optsWithGlobals()))
  withExamples(withService(confirm), [
    ['gantt claims confirm 7d0e6a52-...', 'keep what select reserved'],
    ['gantt claims confirm 1b9c8e11-...', 'the instance has arrived there: end the claim that it came from'],
  ])

  const revert = claims
    .command('revert')
    .description('end an open move where it began: the room at its destination is given back')
    .argument('<claim...>', 'either end of each move')
    .option('--reason <text>', 'why, kept with the claim at the destination')
    .action((ids: readonly string[], _flags: Flags, command: Command) =>
      edit('claimRelease', ids, { reason: 'move reverted', ...command.optsWithGlobals() }, readDestinations),
    )
  withExamples(withService(revert), [['gantt claims revert 7d0e6a52-... --reason "the image did not boot"', 'it stays where it was']])

  const extend = claims
    .command('extend')
    .description('let reservations hold longer')
    .argument('<claim...>', 'ids, as select and claims print them')
    .requiredOption('--ttl <duration>', 'how long from now, PT1S to PT24H', duration)
    .action((ids: readonly string[], _flags: Flags, command: Command) => edit('claimExtend', ids, command.optsWithGlobals()))
  withExamples(withService(extend), [['gantt claims extend 7d0e6a52-... --ttl PT10M', 'ten more minutes']])

  const release = claims
    .command('release')
    .description('give the room back')
    .argument('<claim...>', 'ids, as select and claims print them')
    .option('--reason <text>', 'why, kept with the claim')
    .action((ids: readonly string[], _flags: Flags, command: Command) => edit('claimRelease', ids, command.optsWithGlobals()))
  withExamples(withService(release), [['gantt claims release 7d0e6a52-... --reason "given up"', 'nobody needs it any more']])

  const revoke = claims
    .command('revoke')
    .description('take room back, whoever holds it; its holder learns it with the next call about it')
    .argument('<claim...>', 'ids, as select and claims print them')
    .requiredOption('--reason <text>', 'why, kept with the claim', notEmpty)
    .action((ids: readonly string[], _flags: Flags, command: Command) => edit('claimRevoke', ids, command.optsWithGlobals()))
  withExamples(withService(revoke), [['gantt claims revoke 7d0e6a52-... --reason "rack 4 burns"', 'the room is free again']])
}

const edit = (name: Edit, ids: readonly string[], flags: Flags, read = readRefs): Promise<void> =>
  run(flags, async () => {
    const client = connect(flags)
    const { ttl, reason } = flags
    const claims = await read(client, ids)
    const results: Ended[] = []
    for (const batch of batches(claims, CLAIMS_PER_CALL)) {
      const named = name === 'claimRevoke' ? { ids: batch.map(({ id }) => id) } : { claims: batch }
      const variables = { ...named, ttl, reason }
      results.push(...(await client.request<{ results: readonly Ended[] }>(DOCUMENTS[name], variables)).results)
      showProgress(results.length, claims.length, results.length === claims.length)
    }
    return toResult(ids, results)
  })

/** The claims as they are now; the fence of each keeps a change that comes in between from being overwritten. */
export async function readRefs(client: Client, ids: readonly string[]): Promise<readonly ClaimRef[]> {
  return (await readEnds(client, ids)).map(({ id, fence }) => ({ id, fence }))
}

/** The destinations of open moves of which either end is named. */
async function readDestinations(client: Client, ids: readonly string[]): Promise<readonly ClaimRef[]> {
  return (await readEnds(client, ids)).map(({ id, fence, moveOf, movingTo }, at) => {
    if (movingTo !== null) return movingTo
    if (moveOf !== null) return { id, fence }
    throw new CommandFailure(EXIT.refused, `claim ${ids[at]} is not moving; nothing was changed`)
  })
}

interface MoveEnd extends ClaimRef {
  readonly moveOf: { readonly id: string } | null
  readonly movingTo: ClaimRef | null
}

async function readEnds(client: Client, ids: readonly string[]): Promise<readonly MoveEnd[]> {
  const document = 'query Fence($id: ID!) { claim(id: $id) { id fence moveOf { id } movingTo { id fence } } }'
  const read = async (id: string): Promise<MoveEnd> => {
    const { claim } = await client.request<{ claim: MoveEnd | null }>(document, { id })
    if (claim === null) throw notThere(`there is no claim ${id}; nothing was changed`)
    return claim
  }
  const claims: MoveEnd[] = []
  for (const batch of batches(ids, READ_AT_ONCE)) claims.push(...(await Promise.all(batch.map(read))))
  return claims
}

/** Some may end well and others not: those that did not are named, and the command ends with 1. */
function toResult(ids: readonly string[], results: readonly Ended[]): Result {
  const done = results.flatMap(({ __typename, claim }) => (__typename === 'ClaimPayload' && claim ? [claim] : []))
  const refused = results.flatMap((result, at) =>
    result.__typename === 'ClaimPayload' ? [] : [`${ids[at]}: ${toRefusal(result).message}`],
  )
  return {
    lines: [...(done.length === 0 ? [] : toClaimTable(done)), ...refused],
    json: { results },
    exitCode: refused.length === 0 ? EXIT.done : EXIT.refused,
  }
}
