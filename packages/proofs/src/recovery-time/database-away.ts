import { setTimeout as sleep } from 'node:timers/promises'
import { type AuditRow, findBreak, type Head, START } from '@gantt/cli/for-proofs'
import { type Client, createClient } from '@gantt/client'
import type { Checks } from '../checks.ts'
import { withFolder } from '../processes/folder.ts'
import { reportHosts } from '../promises/calls.ts'
import { type Cluster, startCluster } from '../safety-under-faults/cluster.ts'
import { engines } from '../safety-under-faults/engines/index.ts'
import { claimsOf, decisionsOf } from '../safety-under-faults/final.ts'
import { type DatabaseLoad, startDatabaseLoad } from './database-load.ts'
import type { Figures } from './figure.ts'
import { memoryMb } from './memory.ts'

export interface DatabaseAwayOptions {
  readonly minutes: number
  readonly signal: AbortSignal
  say(line: string): void
}

const REPLICAS = 3
const HOSTS = Array.from({ length: 20 }, (_, i) => ({ name: `h${i}`, vcpus: 8_192 }))
/** Calls are observed for at most this many milliseconds before and after the outage. */
const OVERLAP_MS = 60_000
const SAMPLE_MS = 1_000
const CATCH_UP_MS = 600_000
const PAGE = 500
const MAX_WORDS = 8
const AUDITED_MS = 30_000
/** The deadline of calls, in milliseconds. It is so long that no call times out. The outage then shows as longer answer times. */
const CALL_MS = 60_000

const TITLE = 'nats: database unavailable'

/**
 * Makes the database unavailable for a given number of minutes under load, with NATS as the store, and measures the effects. Checks that
 * nothing is lost or written twice.
 */
export function measureDatabaseAway(checks: Checks, figures: Figures, { minutes, signal, say }: DatabaseAwayOptions): Promise<void> {
  return withFolder(async (folder) => {
    const cluster = await startCluster({
      folder,
      replicas: REPLICAS,
      startEngine: engines.nats,
      smallDisks: false,
      callMs: CALL_MS,
      signal,
      say,
    })
    try {
      await reportHosts(clientOf(cluster, 0), HOSTS)
      await measure(checks, figures, cluster, minutes * 60_000, signal)
    } finally {
      await cluster.close()
    }
  })
}

const clientOf = ({ replicas }: Cluster, replica: number): Client => (replicas[replica] as Cluster['replicas'][0]).client

async function measure(checks: Checks, figures: Figures, cluster: Cluster, awayMs: number, signal: AbortSignal): Promise<void> {
  const loss = cluster.engine.losses.find(({ of }) => of === 'follower database')
  if (loss === undefined) throw new Error('this engine has no separate database for the projections')
  const clients = cluster.replicas.map(({ client }) => client)
  const keyed = (replica: number, key: string): Client => createClient({ url: cluster.replicas[replica]?.service?.url as string, key })
  const before = await untilAudited(clientOf(cluster, 0), 1)
  const load = startDatabaseLoad(clients, keyed)
  const memory = (when: string): void => {
    const held = cluster.replicas.flatMap(({ service }) => memoryMb(service?.pid) ?? [])
    if (held.length > 0) figures.add(`${TITLE}: memory of a replica ${when}`, 'MB', ...held)
  }
  const phase = async (when: string, ms: number): Promise<void> => {
    const begun = { at: performance.now(), placed: load.placed }
    while (performance.now() - begun.at < ms) {
      signal.throwIfAborted()
      await sleep(SAMPLE_MS)
    }
    figures.add(`${TITLE}: claims ${when}`, '/s', (load.placed - begun.placed) / ((performance.now() - begun.at) / 1_000))
    memory(when)
  }
  try {
    const overlapMs = Math.min(OVERLAP_MS, awayMs)
    await phase('before the outage', overlapMs)
    const taken = await loss.take()
    const lost = await revisionOf(clientOf(cluster, 0))
    const from = performance.now()
    await phase('during the outage', awayMs)
    figures.add(`${TITLE}: duration of the outage`, 's', (performance.now() - from) / 1_000)
    const head = await revisionOf(clientOf(cluster, 0))
    const back = performance.now()
    await taken.giveBack()
    figures.add(`${TITLE}: start of the database`, 's', (performance.now() - back) / 1_000)
    await untilTablesReach(clientOf(cluster, 0), head, signal)
    figures.add(
      `${TITLE}: until the tables have all waiting entries, from the start of the database on`,
      's',
      (performance.now() - back) / 1_000,
    )
    figures.add(`${TITLE}: waiting entries`, '', head - lost)
    await phase('after the outage', overlapMs)
  } finally {
    await load.stop()
  }
  figures.add(`${TITLE}: API keys created and revoked`, '', load.keys)
  figures.add(`${TITLE}: longest placement of the run`, 's', load.longestMs / 1_000)
  const ended = performance.now()
  await untilTablesReach(clientOf(cluster, 0), await revisionOf(clientOf(cluster, 0)), signal)
  figures.add(`${TITLE}: until the tables have everything after the last call`, 's', (performance.now() - ended) / 1_000)
  await checkAll(checks, cluster, load, before.rows)
}

const revisionOf = async (client: Client): Promise<number> =>
  Number((await client.request<{ health: { revision: string } }>('{ health { revision } }')).health.revision)

/** Waits until the tables have a revision. While the database is unavailable, their revision cannot be read. */
async function untilTablesReach(client: Client, revision: number, signal: AbortSignal): Promise<void> {
  for (const deadline = performance.now() + CATCH_UP_MS; ; await sleep(SAMPLE_MS / 2)) {
    signal.throwIfAborted()
    const reached = await client.request<{ fleetLog: { tablesRevision: string } }>('{ fleetLog { tablesRevision } }').then(
      ({ fleetLog }) => Number(fleetLog.tablesRevision),
      () => 0,
    )
    if (reached >= revision) return
    if (performance.now() > deadline) throw new Error(`the tables have not caught up after ${CATCH_UP_MS / 1_000} s`)
  }
}

async function checkAll(checks: Checks, cluster: Cluster, load: DatabaseLoad, auditedBefore: number): Promise<void> {
  const { unknown, failures } = load
  const words = (): string => cluster.replicas.flatMap(({ service }) => service?.words.slice(-MAX_WORDS) ?? []).join(' | ')
  checks.check(
    'every call is answered while the database is unavailable',
    unknown === 0,
    () => `${unknown} calls were not answered, such as: ${failures.join('; ')}; the replicas said: ${words()}`,
  )
  checks.check('API keys are accepted from their creation until they are revoked', load.wrongKeys.length === 0, () =>
    load.wrongKeys.join('; '),
  )
  const last = clientOf(cluster, REPLICAS - 1)
  // In the stream, the audit row of a call is after the decision of the call. So once the tables have the audit row, they have the decision
  // too.
  const audit = await untilAudited(last, auditedBefore + load.answered)
  const kept = await decisionsOf(last)
  const there = new Set(kept)
  const lost = load.decisions.filter((id) => !there.has(id))
  checks.check('every decision is in the tables', lost.length === 0, () => `${lost.length} of ${load.decisions.length} are not`)
  const isOnce = there.size === kept.length && kept.length <= load.decisions.length + unknown
  checks.check(
    'every decision is in the tables once',
    isOnce,
    () => `${kept.length} rows, ${there.size} ids, ${load.decisions.length} were answered`,
  )
  checks.check('the chain of the audit is intact', audit.broken === undefined, () => audit.broken ?? '')
  const more = audit.rows - auditedBefore
  const isAudited = more >= load.answered && more <= load.answered + unknown
  checks.check(
    'every mutation is in the audit once',
    isAudited,
    () => `${more} rows for ${load.answered} calls and ${unknown} with an unknown outcome`,
  )
  for (let replica = 0; replica < REPLICAS; replica++) {
    const live = new Set((await claimsOf(clientOf(cluster, replica), ['CONFIRMED'])).map(({ id }) => id))
    const gone = load.held().filter((id) => !live.has(id))
    checks.check('every claim that is held is there', gone.length === 0, () => `${gone.length} are not, on replica ${replica}`)
  }
}

interface Page<Node> {
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  readonly nodes: readonly Node[]
}

interface Audited {
  readonly rows: number
  /** What is wrong with the first audit row that breaks the hash chain. Undefined if the chain is complete. */
  readonly broken: string | undefined
}

const AUDIT = `query ($after: String, $first: Int!) { auditLog(first: $first, after: $after, oldestFirst: true) { pageInfo { hasNextPage endCursor }
  nodes { seq id at account keyId mutation target summary result requestId previous hash } } }`

/**
 * Reads the audit again and again until its hash chain has this many rows, or until the timeout. The audit row of a placement is written
 * shortly after the placement.
 */
async function untilAudited(client: Client, rows: number): Promise<Audited> {
  for (const end = performance.now() + AUDITED_MS; ; await sleep(SAMPLE_MS)) {
    const audited = await readAudit(client)
    if (audited.rows >= rows || performance.now() > end) return audited
  }
}

/** Reads the chain of the audit from its beginning, and checks each row. */
async function readAudit(client: Client): Promise<Audited> {
  let head: Head = START
  let rows = 0
  for (let after: string | null = null; ; ) {
    const { auditLog }: { auditLog: Page<AuditRow> } = await client.request(AUDIT, { after, first: PAGE })
    const broken = findBreak(auditLog.nodes, head)
    rows += auditLog.nodes.length
    head = auditLog.nodes.at(-1) ?? head
    if (broken !== undefined || !auditLog.pageInfo.hasNextPage) return { rows, broken: broken?.what }
    after = auditLog.pageInfo.endCursor
  }
}
