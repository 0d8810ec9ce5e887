import { graphql } from '@gantt/client'
import type { Command } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { notFound } from '../../call/failure.ts'
import { DEFAULT_FIRST, type Page, readPages, tally } from '../../call/pages.ts'
import { toHostName } from '../../options/host-name.ts'
import { type MomentFlags, nowOf, pastLines, stateAt, withMoment } from '../../options/moment.ts'
import { oneOf, wholeNumber } from '../../options/values.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { notEmpty } from '../host/hosts.ts'
import { addClaimEdits } from './edits.ts'
import { addMembership } from './membership.ts'
import { CLAIM, type ClaimRow, toClaimTable } from './rows.ts'

const STATES = ['RESERVED', 'CONFIRMED', 'MATERIALISED', 'RELEASED', 'EXPIRED', 'REVOKED'] as const
const LIVE = ['RESERVED', 'CONFIRMED', 'MATERIALISED'] as const

interface Flags extends ConnectionFlags, MomentFlags {
  readonly state?: (typeof STATES)[number]
  readonly host?: string
  readonly first: number
  readonly all?: true
  readonly json?: true
}

/** Each claim is read with its granted devices and CPUs, so a larger page would exceed the cost limit of a call. */
const CLAIMS_PER_PAGE = 400

const CLAIMS = graphql(
  `query Claims($first: Int!, $after: String, $states: [ClaimState!], $at: Moment) {
  claims(first: $first, after: $after, states: $states, at: $at) { totalCount pageInfo { hasNextPage endCursor } nodes { ...ClaimRow } }
}`,
  [CLAIM],
)

const CLAIMS_OF_HOST = graphql(
  `query ClaimsOfHost($host: String!, $node: String, $first: Int!, $after: String, $states: [ClaimState!], $at: Moment) {
  host(name: $host, node: $node, at: $at) { claims(first: $first, after: $after, states: $states) { totalCount pageInfo { hasNextPage endCursor } nodes { ...ClaimRow } } }
}`,
  [CLAIM],
)

/** `gantt claims`: lists and changes claims. */
export function addClaims(program: Command): void {
  const claims = withListOptions(
    program.command('claims').description('list claims: the resources that are held for instances, the owner, and the expiry'),
  ).action((flags: Flags) => run(flags, () => listClaims(flags)))
  withExamples(withService(claims), [
    ['gantt claims --state RESERVED', 'list claims that are not confirmed yet'],
    ['gantt claims --host rack1-a', 'list the claims on a host'],
    ['gantt claims --host rack1-a --at -2h', 'list the claims on the host as they were two hours ago'],
    ['gantt claims --state REVOKED', 'list claims that operators revoked, and the reasons'],
    ['gantt claims release 7d0e... --reason "given up"', 'release the resources of a claim'],
  ])
  const list = withListOptions(claims.command('list').description('list claims, as "gantt claims" does')).action(
    (_flags: Flags, command: Command) => {
      const flags = command.optsWithGlobals<Flags>()
      return run(flags, () => listClaims(flags))
    },
  )
  withExamples(withService(list), [['gantt claims list --host rack1-a', 'list the claims on a host']])
  addClaimEdits(claims)
  addMembership(claims)
}

const withListOptions = (command: Command): Command =>
  withMoment(command)
    .option(
      '--state <state>',
      `only claims in this state: ${STATES.join(', ')}; if not given, all claims that hold resources`,
      oneOf(STATES),
    )
    .option('--host <name>', 'only claims on this host, HOST or HOST/NODE', notEmpty)
    .option('--first <n>', 'list at most this many rows', wholeNumber(1, 100_000), DEFAULT_FIRST)
    .option('--all', 'list all rows')

async function listClaims({ state, host, first, all, ...flags }: Flags): Promise<Result> {
  const client = connect(flags)
  const past = await stateAt(client, flags)
  const at = past?.revision
  const states = state === undefined ? LIVE : [state]
  const read = async (wanted: number, after: string | null): Promise<Page<ClaimRow>> => {
    const size = Math.min(wanted, CLAIMS_PER_PAGE)
    if (host === undefined) return (await client.request(CLAIMS, { first: size, after, states, at })).claims
    const variables = { ...toHostName(host), first: size, after, states, at }
    const answer = await client.request(CLAIMS_OF_HOST, variables)
    if (answer.host === null)
      throw notFound(`no host ${JSON.stringify(host)} ${past === null ? 'has reported' : `had reported by revision ${past.revision}`}`)
    return answer.host.claims
  }
  const { items: claims, totalCount } = await readPages(all ? Number.POSITIVE_INFINITY : first, read)
  const lines =
    totalCount === 0
      ? [past === null ? 'No matching claims.' : 'There were no matching claims.']
      : [...toClaimTable(claims, nowOf(past)), '', `${tally(claims.length, totalCount, 'claim')}.`]
  return { lines: [...pastLines(past), ...lines], json: { ...(past !== null && { asOf: past }), totalCount, claims } }
}
