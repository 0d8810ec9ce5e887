import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@gantt/client'
import { ALLOCATION_RULES, HOSTS_LEAVE, KEPT_DEVICES } from '@gantt/scheduler-core'
import type { Checks } from '../checks.ts'
import { type Run, runClient } from './callers/client.ts'
import { ask, keepReading, reservation } from './callers/extra-load.ts'
import { createHostAgents, type ReportOptions } from './callers/host-agents.ts'
import type { Cluster } from './cluster.ts'
import type { Injected } from './faults/faults.ts'
import { claimsOf, makeFresh, readFinalState } from './final.ts'
import { isLiveState, type Operation } from './history.ts'
import { judge } from './judge/check.ts'
import { type Figures, figuresOf } from './report.ts'
import { settingFor } from './setting.ts'

export interface LoadOptions {
  /** The seed of the random choice of calls. */
  readonly seed: string
  readonly clients: number
  /** Callers retry unanswered calls until this many milliseconds after the start of the run. */
  readonly maxRunMs: number
  /** The value for `Run.isStrict`. True if absent. */
  readonly isStrict?: boolean
  readonly signal: AbortSignal
}

/** The figures of a run, and the history of all calls. */
export interface Held extends Figures {
  readonly history: readonly Operation[]
}

/** After all faults, every replica must place again within this many milliseconds, even if a whole cluster was lost. */
export const RECOVERY_MS = 30_000
const AGGREGATES = 3
const RETRY_DELAY_MS = 100
const SHOWN = 5

/**
 * Runs callers that make all kinds of calls while `happen` changes the replicas and returns what it did. Afterwards the callers' histories
 * and the final state of the replicas are checked by rules that do not depend on the implementation of the service.
 */
export async function underLoad(
  checks: Checks,
  cluster: Cluster,
  { seed, clients, maxRunMs, signal, isStrict = true }: LoadOptions,
  happen: (run: Run) => Promise<readonly Injected[]>,
): Promise<Held> {
  const setting = settingFor(seed, clients)
  const agents = createHostAgents(setting, seed)
  const first = cluster.replicas[0]?.client as Client
  const aggregates = await Promise.all(Array.from({ length: AGGREGATES }, (_, i) => createAggregate(first, `a${i}`)))

  const history: Operation[] = []
  const startedAt = performance.now()
  const now = (): number => performance.now() - startedAt
  let over = false
  const run: Run = {
    seed,
    setting,
    aggregates,
    agents,
    replicas: cluster.replicas.length,
    clientOf: (replica) => cluster.replicas[replica]?.client as Client,
    history,
    clients,
    isStrict,
    hostsMayLeave: await readsLevel(first, HOSTS_LEAVE),
    setsRatios: await readsLevel(first, ALLOCATION_RULES),
    changesDevices: await readsLevel(first, KEPT_DEVICES),
    leavesOften: false,
    now,
    isOver: () => over,
    isLate: () => signal.aborted || now() > maxRunMs,
  }
  for (const { name } of setting.hosts) await report(run, name, { isTruthful: true })
  const load = Promise.all([
    ...Array.from({ length: clients }, (_, n) => runClient(n, run)),
    ...cluster.replicas.map((_replica, i) => keepReading(run, i)),
  ])
  // If a client throws an error, the run ends at once.
  load.catch(() => {
    over = true
  })
  const injected = await happen(run).finally(() => {
    over = true
  })
  await load
  signal.throwIfAborted()

  for (const [i, { service }] of cluster.replicas.entries())
    checks.check('no replica ends by itself', service?.isGone === false, () => `replica ${i}: ${service?.words.slice(-12).join(' | ')}`)
  await checkRecovery(checks, run)
  await settle(run)
  const finals = await Promise.all(run.replicas > 0 ? cluster.replicas.map(({ client }, i) => readFinalState(client, i)) : [])
  for (const { name, violations } of judge({ setting, history, finals })) {
    checks.check(name, violations.length === 0, () => `${violations.length} times: ${violations.slice(0, SHOWN).join('; ')}`)
  }
  const defects = history.filter(({ outcome }) => outcome.type === 'info' && outcome.why.startsWith('defect'))
  checks.check(
    'no call ends in a defect',
    defects.length === 0,
    () =>
      `${defects.length} calls, the first: ${JSON.stringify(defects[0])}; the replicas said: ${cluster.defects().slice(0, SHOWN).join('; ')}`,
  )
  const invalid = history.filter(({ outcome }) => outcome.type === 'ok' && outcome.answer.type === 'invalid')
  checks.check('no call is refused for its form', invalid.length === 0, () => `${invalid.length}, the first: ${JSON.stringify(invalid[0])}`)
  return { ...figuresOf({ history, injected, left: cluster.engine.left, final: finals[0], setting }), history }
}

/** Whether the log can be raised to this feature level, because every living replica can read the level. */
export async function readsLevel(client: Client, level: number): Promise<boolean> {
  const { replicas } = await client.request<{ replicas: { live: boolean; featureLevel: number }[] }>('{ replicas { live featureLevel } }')
  return replicas.every(({ live, featureLevel }) => !live || featureLevel >= level)
}

async function createAggregate(client: Client, name: string): Promise<string> {
  const { aggregateCreate } = await client.request<{ aggregateCreate: { aggregate?: { uuid: string } } }>(
    'mutation Create($name: String!) { aggregateCreate(input: { name: $name }) { __typename ... on AggregatePayload { aggregate { uuid } } } }',
    { name },
  )
  if (aggregateCreate.aggregate === undefined) throw new Error(`aggregate ${name} was not created`)
  return aggregateCreate.aggregate.uuid
}

/** Waits after all faults until every replica answers a placement call. A refusal is an answer too. */
async function checkRecovery(checks: Checks, run: Run): Promise<void> {
  await Promise.all(
    Array.from({ length: run.replicas }, async (_, replica) => {
      const call = reservation(`${run.seed}-recovery-${replica}`)
      const begun = run.now()
      let outcome: Operation['outcome']
      do {
        outcome = await ask(run, replica, call)
        if (outcome.type !== 'ok') await sleep(100)
      } while (outcome.type !== 'ok' && run.now() - begun < RECOVERY_MS)
      checks.check(
        'every replica places again after the faults',
        outcome.type === 'ok',
        () => `replica ${replica}: ${JSON.stringify(outcome)}`,
      )
    }),
  )
}

/** Waits until reservations have expired, hosts have reported their instances, and every replica has caught up with the log. */
async function settle(run: Run): Promise<void> {
  const first = run.clientOf(0)
  const again = (host: string) => {
    const { incarnation, sequence, stats } = run.agents.repeat(host)
    return { name: { host: run.agents.nameOf(host) }, reporter: { incarnation, sequence }, report: { full: stats } }
  }
  const [host] = run.setting.hosts
  if (host === undefined) return
  if (run.hostsMayLeave) for (const { name } of run.setting.hosts) await readmitHost(run, name)
  await makeFresh(first, again(host.name))
  for (const deadline = run.now() + RECOVERY_MS; run.now() < deadline; await sleep(200))
    if ((await claimsOf(first, ['RESERVED'])).length === 0) break
  const claims = await claimsOf(first)
  const held = new Set(claims.map(({ instance, host }) => `${instance} ${host}`))
  const live = new Set(claims.filter(({ state }) => isLiveState(state)).map(({ instance, host }) => `${instance} ${host}`))
  for (const { name } of run.setting.hosts) {
    for (const instance of run.agents.running(name)) if (!live.has(`${instance} ${name}`)) run.agents.stop(name, instance)
    await report(run, name, { isTruthful: !run.isStrict, mayList: (host, instance) => !held.has(`${instance} ${host}`) })
  }
  for (let replica = 0; replica < run.replicas; replica++) await makeFresh(run.clientOf(replica), again(host.name))
}

/** Readmits a host so that it can report again. This is needed if the caller that removed the host could not readmit it before the end. */
async function readmitHost(run: Run, host: string): Promise<void> {
  const call = { type: 'leave', host, how: 'readmit', as: run.agents.nameOf(host), by: null } as const
  for (const begun = run.now(); ; await sleep(RETRY_DELAY_MS)) {
    const outcome = await ask(run, 0, call)
    if (outcome.type === 'ok') return
    if (run.now() - begun > RECOVERY_MS)
      throw new Error(`host ${host} could not be readmitted in ${RECOVERY_MS / 1_000} s, because no call was answered: ${outcome.why}`)
  }
}

/** Sends a report repeatedly until it is answered: it is accepted, or refused because of its content. */
async function report(run: Run, host: string, options: ReportOptions): Promise<void> {
  const { instances, used, ...body } = run.agents.report(host, options)
  for (const begun = run.now(); ; await sleep(RETRY_DELAY_MS)) {
    const outcome = await ask(run, 0, { type: 'report', host, as: run.agents.nameOf(host), instances, used }, body)
    if (outcome.type === 'ok') return
    if (run.now() - begun > RECOVERY_MS) throw new Error(`no report of host ${host} was answered: ${outcome.why}`)
  }
}
