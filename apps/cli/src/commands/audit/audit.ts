import { graphql, type ResultOf } from '@gantt/client'
import { type Command, InvalidArgumentError } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { EXIT } from '../../call/failure.ts'
import { LARGEST_PAGE, readPages, tally } from '../../call/pages.ts'
import { wholeNumber } from '../../options/values.ts'
import { age, counted } from '../../output/format.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { toTable } from '../../output/table.ts'
import { notEmpty } from '../host/hosts.ts'
import { findBreak, type Head, START } from './chain.ts'

interface Flags extends ConnectionFlags {
  readonly query?: string
  readonly first: number
  readonly json?: true
}

interface VerifyFlags extends ConnectionFlags {
  readonly expect?: Head
  readonly json?: true
}

const ROW = graphql(`fragment AuditRow on AuditEntry { seq id at account keyId mutation target summary result requestId previous hash }`)

const LIST = graphql(
  `query Audit($first: Int!, $after: String, $query: String) {
  auditLog(first: $first, after: $after, query: $query) { totalCount pageInfo { hasNextPage endCursor } nodes { ...AuditRow } }
}`,
  [ROW],
)

const CHAIN = graphql(
  `query AuditChain($first: Int!, $after: String) {
  auditLog(first: $first, after: $after, oldestFirst: true) { pageInfo { hasNextPage endCursor } nodes { ...AuditRow } }
}`,
  [ROW],
)

/** `gantt audit list|verify`: lists mutations, and verifies that no row of the audit was changed or removed. */
export function addAudit(program: Command): void {
  const audit = program.command('audit').description('list mutations, and verify that the audit is complete')
  const list = audit
    .command('list')
    .description('list mutations, newest first')
    .option(
      '--query <terms>',
      'list only rows that match these terms; fields: account, key, mutation, target, result, request, last',
      notEmpty,
    )
    .option('--first <n>', 'list at most this many rows', wholeNumber(1, 100_000), 20)
    .action((flags: Flags) => run(flags, () => listRows(flags)))
  withExamples(withService(list), [
    ["gantt audit list --query 'mutation:apiKey* last:1d'", 'list the changes of API keys in the last day'],
    ["gantt audit list --query 'result:FORBIDDEN'", 'list calls that were forbidden'],
  ])
  const verify = audit
    .command('verify')
    .description('read the whole audit and check the hash of every row; exits with 1 if a row was changed or removed')
    .option(
      '--expect <seq:hash>',
      'number and hash of a row, as an earlier verify printed them; the audit must still contain this row',
      toHead,
    )
    .action((flags: VerifyFlags) => run(flags, () => verifyChain(flags)))
  withExamples(withService(verify), [
    ['gantt audit verify', 'check that no row was edited or removed'],
    ['gantt audit verify --expect 1042:9f86d0...', 'also check that no rows were removed at the end since then'],
  ])
}

async function listRows({ query, first, ...flags }: Flags): Promise<Result> {
  const client = connect(flags)
  const { items: rows, totalCount } = await readPages(first, async (size, after) => {
    const answer = await client.request(LIST, { first: size, after, query })
    return answer.auditLog
  })
  const nowMs = Date.now()
  const table = toTable(
    COLUMNS,
    rows.map((row) => [String(row.seq), age(row.at, nowMs), row.account, row.mutation, row.target, row.result]),
  )
  const lines = totalCount === 0 ? ['No matching mutations.'] : [...table, '', `${tally(rows.length, totalCount, 'mutation', '--first')}.`]
  return { lines, json: { totalCount, rows } }
}

const COLUMNS = [
  { head: 'row', align: 'right' },
  { head: 'age', align: 'right' },
  { head: 'account', cut: 'end', least: 6 },
  { head: 'mutation', cut: 'end', least: 10 },
  { head: 'target', cut: 'middle', least: 10 },
  { head: 'result', cut: 'end', least: 10 },
] as const

/** Reads and checks the audit page by page, because it may be larger than memory. */
async function verifyChain({ expect, ...flags }: VerifyFlags): Promise<Result> {
  const client = connect(flags)
  let head = START
  let rows = 0
  let met: string | undefined
  for (let after: string | null = null, isMore = true; isMore; ) {
    const { auditLog: page }: ResultOf<typeof CHAIN> = await client.request(CHAIN, { first: LARGEST_PAGE, after })
    const broken = findBreak(page.nodes, head)
    if (broken !== undefined) {
      const read = rows + page.nodes.filter(({ seq }) => seq < broken.seq).length
      const lines = [`The audit is broken: ${broken.what}.`, `${counted(read, 'row')} before it ${read === 1 ? 'is' : 'are'} intact.`]
      return { lines, json: { whole: false, rows: read, firstBroken: broken.seq, what: broken.what }, exitCode: EXIT.refused }
    }
    met ??= page.nodes.find(({ seq }) => seq === expect?.seq)?.hash
    rows += page.nodes.length
    head = page.nodes.at(-1) ?? head
    isMore = page.pageInfo.hasNextPage
    after = page.pageInfo.endCursor
  }
  const { seq, hash } = head
  if (expect !== undefined && met !== expect.hash) {
    const what = met === undefined ? `row ${expect.seq} is missing: the chain ends at row ${seq}` : `row ${expect.seq} has another hash`
    const lines = [`The audit does not contain the expected head: ${what}.`, 'Rows were removed or rewritten.']
    return { lines, json: { whole: false, rows, firstBroken: Math.min(expect.seq, seq + 1), what }, exitCode: EXIT.refused }
  }
  const lines = [`The audit is intact: ${counted(rows, 'row')}.`, `head  ${seq}:${hash}`]
  return { lines, json: { whole: true, rows, head: { seq, hash } } }
}

function toHead(text: string): Head {
  const parts = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text)
  if (parts === null) throw new InvalidArgumentError('It must be a row and its hash, as verify prints them: 1042:9f86d0...')
  return { seq: Number(parts[1]), hash: parts[2] ?? '' }
}
