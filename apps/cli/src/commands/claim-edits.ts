import type { Client } from '@gantt/client'
import { type Command, InvalidArgumentError } from 'commander'
import { batches } from './batches.ts'
import { CLAIM, type ClaimRow, toClaimTable } from './claim-rows.ts'
import { type ConnectionFlags, connect } from './connection.ts'
import { CommandFailure, EXIT, REFUSAL, type Refusal, toRefusal } from './failure.ts'
import { type Result, run, withExamples, withService } from './output.ts'
import { showProgress } from './pages.ts'

interface Flags extends ConnectionFlags {
  readonly ttl?: string
  readonly reason?: string
  readonly json?: true
}

interface ClaimRef {
  readonly id: string
  readonly fence: number
}

/** Well below what one call may cost. */
const CLAIMS_PER_CALL = 100
const READ_AT_ONCE = 20

type Edit = 'claimConfirm' | 'claimExtend' | 'claimRelease'

type Ended = Refusal & { readonly claim?: ClaimRow | null }

const RESULT = `{ __typename ... on ClaimPayload { replayed claim { ${CLAIM} } } ${REFUSAL} }`

const DOCUMENTS: Readonly<Record<Edit, string>> = {
  claimConfirm: `mutation Confirm($claims: [ClaimRef!]!) { results: claimConfirm(claims: $claims) ${RESULT} }`,
  claimExtend: `mutation Extend($claims: [ClaimRef!]!, $ttl: Duration!) { results: claimExtend(claims: $claims, ttl: $ttl) ${RESULT} }`,
  claimRelease: `mutation Release($claims: [ClaimRef!]!, $reason: String) {
    results: claimRelease(claims: $claims, reason: $reason) ${RESULT}
  }`,
}

/** `gantt claims confirm|extend|release`: what becomes of room that is held. */
export function addClaimEdits(claims: Command): void {
  const confirm = claims
    .command('confirm')
    .description('hold the room of reservations for good')
    .argument('<claim...>', 'ids, as select and claims print them')
    .action((ids: readonly string[], _flags: Flags, command: Command) => edit('claimConfirm', ids, command.optsWithGlobals()))
  withExamples(withService(confirm), [['gantt claims confirm 7d0e6a52-...', 'keep what select reserved']])

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
}

const edit = (name: Edit, ids: readonly string[], flags: Flags): Promise<void> =>
  run(flags, async () => {
    const client = connect(flags)
    const { ttl, reason } = flags
    const claims = await readRefs(client, ids)
    const results: Ended[] = []
    for (const batch of batches(claims, CLAIMS_PER_CALL)) {
      const variables = { claims: batch, ttl, reason }
      results.push(...(await client.request<{ results: readonly Ended[] }>(DOCUMENTS[name], variables)).results)
      showProgress(results.length, claims.length, results.length === claims.length)
    }
    return toResult(ids, results)
  })

/** The claims as they are now; the fence of each keeps a change that comes in between from being overwritten. */
async function readRefs(client: Client, ids: readonly string[]): Promise<readonly ClaimRef[]> {
  const document = 'query Fence($id: ID!) { claim(id: $id) { id fence } }'
  const read = async (id: string): Promise<ClaimRef> => {
    const { claim } = await client.request<{ claim: ClaimRef | null }>(document, { id })
    if (claim === null) throw new CommandFailure(EXIT.refused, `there is no claim ${id}; nothing was changed`)
    return claim
  }
  const claims: ClaimRef[] = []
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

function duration(text: string): string {
  if (/^P(?=.)(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+S)?)?$/.test(text)) return text
  throw new InvalidArgumentError('It must be an ISO 8601 duration such as PT10M.')
}
