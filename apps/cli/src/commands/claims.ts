import type { Command } from 'commander'
import { addClaimEdits } from './claim-edits.ts'
import { addMembership } from './claim-groups.ts'
import { CLAIM, type ClaimRow, toClaimTable } from './claim-rows.ts'
import { type ConnectionFlags, connect } from './connection.ts'
import { CommandFailure, EXIT } from './failure.ts'
import { notEmpty } from './hosts.ts'
import { oneOf, wholeNumber } from './options.ts'
import { type Result, run, withExamples, withService } from './output.ts'
import { DEFAULT_FIRST, PAGE_INFO, type Page, readPages, tally } from './pages.ts'

const STATES = ['RESERVED', 'CONFIRMED', 'MATERIALISED', 'RELEASED', 'EXPIRED', 'REVOKED'] as const
const LIVE = ['RESERVED', 'CONFIRMED', 'MATERIALISED']

interface Flags extends ConnectionFlags {
  readonly state?: (typeof STATES)[number]
  readonly host?: string
  readonly first: number
  readonly all?: true
  readonly json?: true
}

/** With everything that a claim has beside it, more would be above what one call may cost. */
const CLAIMS_PER_PAGE = 400

const LIST = `claims(first: $first, after: $after, states: $states) { ${PAGE_INFO} nodes { ${CLAIM} } }`

const CLAIMS = `query Claims($first: Int!, $after: String, $states: [ClaimState!]) { ${LIST} }`

const CLAIMS_OF_HOST = `query ClaimsOfHost($host: String!, $first: Int!, $after: String, $states: [ClaimState!]) {
  host(name: $host) { ${LIST} }
}`

/** `gantt claims`: the room that is held, and what becomes of it. */
export function addClaims(program: Command): void {
  const claims = withListOptions(program.command('claims').description('list claims: the room that is held, for whom and how long')).action(
    (flags: Flags) => run(flags, () => listClaims(flags)),
  )
  withExamples(withService(claims), [
    ['gantt claims --state RESERVED', 'what nobody confirmed yet'],
    ['gantt claims --host rack1-a', 'what is held on a host'],
    ['gantt claims --state REVOKED', 'what operators took back, and why'],
    ['gantt claims release 7d0e... --reason "given up"', 'give room back'],
  ])
  const list = withListOptions(claims.command('list').description('the same')).action((_flags: Flags, command: Command) => {
    const flags = command.optsWithGlobals<Flags>()
    return run(flags, () => listClaims(flags))
  })
  withExamples(withService(list), [['gantt claims list --host rack1-a', 'what is held on a host']])
  addClaimEdits(claims)
  addMembership(claims)
}

const withListOptions = (command: Command): Command =>
  command
    .option('--state <state>', `only in this state: ${STATES.join(', ')}; those that hold room if not given`, oneOf(STATES))
    .option('--host <name>', 'only on this host', notEmpty)
    .option('--first <n>', 'at most so many', wholeNumber(1, 100_000), DEFAULT_FIRST)
    .option('--all', 'every one')

async function listClaims({ state, host, first, all, ...flags }: Flags): Promise<Result> {
  const client = connect(flags)
  const states = state === undefined ? LIVE : [state]
  const read = async (wanted: number, after: string | null): Promise<Page<ClaimRow>> => {
    const size = Math.min(wanted, CLAIMS_PER_PAGE)
    if (host === undefined) return (await client.request<{ claims: Page<ClaimRow> }>(CLAIMS, { first: size, after, states })).claims
    const variables = { host, first: size, after, states }
    const answer = await client.request<{ host: { claims: Page<ClaimRow> } | null }>(CLAIMS_OF_HOST, variables)
    if (answer.host === null) throw new CommandFailure(EXIT.refused, `no host ${JSON.stringify(host)} has reported`)
    return answer.host.claims
  }
  const { items: claims, totalCount } = await readPages(all ? Number.POSITIVE_INFINITY : first, read)
  const lines =
    totalCount === 0 ? ['No claim is like that.'] : [...toClaimTable(claims), '', `${tally(claims.length, totalCount, 'claim')}.`]
  return { lines, json: { totalCount, claims } }
}
