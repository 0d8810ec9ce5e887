import { graphql, type ResultOf } from '@gantt/client'
import { type Command, InvalidArgumentError } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { REFUSAL, toRefusal } from '../../call/failure.ts'
import { LARGEST_PAGE, readPages, tally } from '../../call/pages.ts'
import { age } from '../../output/format.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { toPairs, toTable } from '../../output/table.ts'
import { notEmpty } from '../host/hosts.ts'

const SCOPES = ['READ', 'SCHEDULE', 'REPORT', 'CLAIM', 'OPERATE', 'ADMIN'] as const

type Scope = (typeof SCOPES)[number]

interface Flags extends ConnectionFlags {
  readonly json?: true
  readonly all?: true
}

interface CreateFlags extends Flags {
  readonly name: string
  readonly account: string
  readonly scopes: readonly Scope[]
  readonly expires?: string
  readonly host?: readonly string[]
  readonly maxNodes?: number
  readonly project?: string
}

const KEY = graphql(
  `fragment KeyParts on ApiKey { id name account prefix state scopes hosts maxNodes project replaces expiresAt lastUsedAt }`,
)

const KEYS = graphql(
  `query Keys($first: Int!, $after: String) { apiKeys(first: $first, after: $after) { totalCount pageInfo { hasNextPage endCursor } nodes { ...KeyParts } } }`,
  [KEY],
)
const CREATE = graphql(
  `mutation CreateKey($input: ApiKeyCreateInput!) { result: apiKeyCreate(input: $input) { __typename ... on ApiKeyPayload { secret key { ...KeyParts } } ...Refusal } }`,
  [KEY, REFUSAL],
)
const ROTATE = graphql(
  `mutation RotateKey($id: ID!, $overlap: Duration) { result: apiKeyRotate(id: $id, overlap: $overlap) { __typename ... on ApiKeyPayload { secret key { ...KeyParts } } ...Refusal } }`,
  [KEY, REFUSAL],
)
const REVOKE = graphql(
  `mutation RevokeKey($id: ID!) { result: apiKeyRevoke(id: $id) { __typename ... on ApiKeyPayload { secret key { ...KeyParts } } ...Refusal } }`,
  [KEY, REFUSAL],
)

type ApiKey = ResultOf<typeof KEY>
type Changed = ResultOf<typeof CREATE>

/** `gantt keys create|list|rotate|revoke`: who may call the service, and what each key permits. */
export function addKeys(program: Command): void {
  const keys = program.command('keys').description('create, list, rotate and revoke the keys of service accounts')

  const create = keys
    .command('create')
    .description('create a key; its secret is printed once')
    .requiredOption('--name <text>', 'name of the key, for people', notEmpty)
    .requiredOption('--account <account>', 'service account that the key belongs to', notEmpty)
    .requiredOption('--scopes <scopes>', `scopes of the key, separated by commas: ${SCOPES.join(', ')}`, scopes)
    .option('--expires <when>', 'when the key expires: a duration such as P90D, or a time; never if not given', toTime)
    .option('--host <name...>', 'restrict the key to reports of these hosts')
    .option('--max-nodes <count>', 'with --host: each of these hosts may have at most this many nodes; 1 if not given', toCount)
    .option('--project <id>', 'restrict the key to this project, without access to hosts', notEmpty)
    .action((flags: CreateFlags) => run(flags, () => createKey(flags)))
  withExamples(withService(create), [
    ['gantt keys create --name nova --account nova --scopes SCHEDULE,CLAIM', 'create a key for a service that places instances'],
    ['gantt keys create --name cmp-1 --account agents --scopes REPORT --host cmp-1', 'create a key for the agent of one host'],
  ])

  const list = keys
    .command('list')
    .description('list active keys')
    .option('--all', 'list expired and revoked keys too')
    .action((flags: Flags) => run(flags, () => listKeys(flags)))
  withExamples(withService(list), [['gantt keys list', 'list the active keys']])

  const rotate = keys
    .command('rotate')
    .description('replace a key with a new key of the same rights; the old key stays valid for the time of --overlap')
    .argument('<id>', 'id of the old key, as "gantt keys list" prints it')
    .option('--overlap <duration>', 'how long the old key stays valid, PT0S to P30D; PT1H if not given', duration)
    .action((id: string, flags: Flags & { overlap?: string }) =>
      run(flags, () => change(connect(flags).request(ROTATE, { id, overlap: flags.overlap }))),
    )
  withExamples(withService(rotate), [['gantt keys rotate 7d0e6a52-... --overlap P1D', 'replace a key; the old one stays valid for a day']])

  const revoke = keys
    .command('revoke')
    .description('revoke a key at once')
    .argument('<id>', 'id of the key, as "gantt keys list" prints it')
    .action((id: string, flags: Flags) => run(flags, () => change(connect(flags).request(REVOKE, { id }))))
  withExamples(withService(revoke), [['gantt keys revoke 7d0e6a52-...', 'revoke a key whose secret has leaked']])
}

const createKey = ({ name, account, scopes: given, expires, host, maxNodes, project, ...flags }: CreateFlags): Promise<Result> => {
  const expiresAt = expires === undefined ? {} : { expiresAt: expires }
  const input = { name, account, scopes: given, ...(host !== undefined && { hosts: host }), maxNodes, project, ...expiresAt }
  return change(connect(flags).request(CREATE, { input }))
}

async function change(call: Promise<Changed>): Promise<Result> {
  const { result } = await call
  if (result.__typename !== 'ApiKeyPayload') throw toRefusal(result)
  const { key, secret } = result
  const lines = [
    ...toPairs([
      ['key', key.id],
      ['name', key.name],
      ['account', key.account],
      ['scopes', key.scopes.join(',')],
      ['bound to', boundTo(key)],
      ['state', key.state],
      ['ends', key.expiresAt ?? 'never'],
    ]),
    ...(secret ? ['', `secret    ${secret}`, 'The secret is not shown again.'] : []),
  ]
  return { lines, json: { key, secret: secret ?? null } }
}

async function listKeys({ all, ...flags }: Flags): Promise<Result> {
  const client = connect(flags)
  const { items } = await readPages(Number.POSITIVE_INFINITY, async (size, after) => {
    const answer = await client.request(KEYS, { first: Math.min(size, LARGEST_PAGE), after })
    return answer.apiKeys
  })
  const keys = items.filter(({ state }) => all || state === 'ACTIVE')
  const nowMs = Date.now()
  const rows = keys.map((key) => [
    key.id,
    key.name,
    key.account,
    key.scopes.join(', '),
    boundTo(key),
    key.state === 'ACTIVE' ? (key.expiresAt === null ? '-' : `in ${age(key.expiresAt, nowMs)}`) : key.state,
    age(key.lastUsedAt, nowMs),
  ])
  const lines = keys.length === 0 ? ['No matching keys.'] : [...toTable(COLUMNS, rows), '', `${tally(keys.length, items.length, 'key')}.`]
  return { lines, json: { keys } }
}

/** The id is never shortened, because other commands need the complete one. */
const COLUMNS = [
  { head: 'key' },
  { head: 'name', cut: 'end', least: 4 },
  { head: 'account', cut: 'end', least: 5 },
  { head: 'scopes', wraps: true, least: 9 },
  { head: 'bound to', cut: 'end', least: 5 },
  { head: 'ends', cut: 'end', least: 4 },
  { head: 'used', cut: 'end', least: 5 },
] as const

const boundTo = ({ hosts, maxNodes, project }: ApiKey): string => {
  if (project !== null) return `project ${project}`
  return `${hosts.join(',') || '-'}${maxNodes === null ? '' : `, ${maxNodes} nodes each`}`
}

function toCount(text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 1) return count
  throw new InvalidArgumentError('It must be a whole number, 1 or more.')
}

function scopes(text: string): readonly Scope[] {
  const given = text
    .toUpperCase()
    .split(',')
    .map((scope) => scope.trim())
  const isScope = (scope: string): scope is Scope => SCOPES.some((known) => known === scope)
  const unknown = given.filter((scope) => !isScope(scope))
  if (unknown.length > 0) throw new InvalidArgumentError(`${unknown.join(', ')} is not a scope; scopes are ${SCOPES.join(', ')}.`)
  return given.filter(isScope)
}

function duration(text: string): string {
  if (toMs(text) !== undefined) return text
  throw new InvalidArgumentError('It must be an ISO 8601 duration such as PT10M or P1D.')
}

/** Parses a point in time, or a duration that starts now. */
function toTime(text: string): string {
  const ms = toMs(text)
  if (ms !== undefined) return new Date(Date.now() + ms).toISOString()
  if (/^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/.test(text) && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString()
  throw new InvalidArgumentError('It must be a duration such as P90D, or a time such as 2027-01-01T00:00:00Z.')
}

function toMs(text: string): number | undefined {
  const parts = /^P(?=.)(?:(\d{1,5})D)?(?:T(?=.)(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9})S)?)?$/.exec(text)
  if (parts === null) return undefined
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0))
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000
}
