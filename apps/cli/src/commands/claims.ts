import type { Command } from 'commander'
import { addClaimEdits } from './claim-edits.ts'
import { addMembership } from './claim-groups.ts'
import { CLAIM, type ClaimRow, toClaimTable } from './claim-rows.ts'
import { type ConnectionFlags, connect } from './connection.ts'
import { CommandFailure, EXIT } from './failure.ts'
import { toHostName } from './host-name.ts'
import { notEmpty } from './hosts.ts'
import { type MomentFlags, nowOf, pastLines, stateAt, withMoment } from './moment.ts'
import { oneOf, wholeNumber } from './options.ts'
import { type Result, run, withExamples, withService } from './output.ts'
import { DEFAULT_FIRST, PAGE_INFO, type Page, readPages, tally } from './pages.ts'

const STATES = ['RESERVED', 'CONFIRMED', 'MATERIALISED', 'RELEASED', 'EXPIRED', 'REVOKED'] as const
const LIVE = ['RESERVED', 'CONFIRMED', 'MATERIALISED']

interface Flags extends ConnectionFlags, MomentFlags {
  readonly state?: (typeof STATES)[number]
  readonly host?: string
  readonly first: number
  readonly all?: true
  readonly json?: true
}

/** With everything that a claim has beside it, more would be above what one call may cost. */
const CLAIMS_PER_PAGE = 400

const PAGE = `{ ${PAGE_INFO} nodes { ${CLAIM} } }`

const CLAIMS = `query Claims($first: Int!, $after: String, $states: [ClaimState!], $at: Moment) {
  claims(first: $first, after: $after, states: $states, at: $at) ${PAGE}
}`

const CLAIMS_OF_HOST = `query ClaimsOfHost($host: String!, $node: String, $first: Int!, $after: String, $states: [ClaimState!], $at: Moment) {
  host(name: $host, node: $node, at: $at) { claims(first: $first, after: $after, states: $states) ${PAGE} }
}`

/** `gantt claims`: the room that is held, and what becomes of it. */
export function addClaims(program: Command): void {
  const claims = withListOptions(program.command('claims').description('list claims: the room that is held, for whom and how long')).action(
    (flags: Flags) => run(flags, () => listClaims(flags)),
  )
  withExamples(withService(claims), [
    ['gantt claims --state RESERVED', 'what nobody confirmed yet'],
    ['gantt claims --host rack1-a', 'what is held on a host'],
    ['gantt claims --host rack1-a --at -2h', 'what was held there two hours ago'],
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
  withMoment(command)
    .option('--state <state>', `only in this state: ${STATES.join(', ')}; those that hold room if not given`, oneOf(STATES))
    .option('--host <name>', 'only on this host, HOST or HOST/NODE', notEmpty)
    .option('--first <n>', 'at most so many', wholeNumber(1, 100_000), DEFAULT_FIRST)
    .option('--all', 'every one')

async function listClaims({ state, host, first, all, ...flags }: Flags): Promise<Result> {
  const client = connect(flags)
  const past = await stateAt(client, flags)
  const at = past?.revision
  const states = state === undefined ? LIVE : [state]
  const read = async (wanted: number, after: string | null): Promise<Page<ClaimRow>> => {
    const size = Math.min(wanted, CLAIMS_PER_PAGE)
    if (host === undefined) return (await client.request<{ claims: Page<ClaimRow> }>(CLAIMS, { first: size, after, states, at })).claims
    const variables = { ...toHostName(host), first: size, after, states, at }
    const answer = await client.request<{ host: { claims: Page<ClaimRow> } | null }>(CLAIMS_OF_HOST, variables)
    if (answer.host === null)
      throw new CommandFailure(
        EXIT.refused,
        `no host ${JSON.stringify(host)} ${past === null ? 'has reported' : `had reported by revision ${past.revision}`}`,
      )
    return answer.host.claims
  }
  const { items: claims, totalCount } = await readPages(all ? Number.POSITIVE_INFINITY : first, read)
  const lines =
    totalCount === 0
      ? [past === null ? 'No claim is like that.' : 'No claim was like that.']
      : [...toClaimTable(claims, nowOf(past)), '', `${tally(claims.length, totalCount, 'claim')}.`]
  return { lines: [...pastLines(past), ...lines], json: { ...(past !== null && { asOf: past }), totalCount, claims } }
}
