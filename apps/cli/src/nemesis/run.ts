import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@gantt/client'
import type { Checks } from '../prove/checks.ts'
import { withFolder } from '../prove/folder.ts'
import { perform } from './calls.ts'
import { judge } from './check.ts'
import { type Run, runClient } from './client.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type EngineName, engines } from './engines/index.ts'
import { ask, keepReading, overload, reservation } from './extra-load.ts'
import { faultsOf, injectFaults } from './faults.ts'
import { claimsOf, makeFresh, readFinalState } from './final.ts'
import { isLiveState, type Operation } from './history.ts'
import { createHostAgents } from './host-agents.ts'
import { type Figures, figuresOf } from './report.ts'
import { settingFor } from './setting.ts'

export interface NemesisOptions {
  readonly engine: EngineName
  readonly seconds: number
  readonly replicas: number
  readonly clients: number
  readonly seed: string
  /** Only these faults, by their names, first in this order; all of them when left out. */
  readonly faults?: readonly string[]
  /** Ends the run early: everything is taken down, and it throws. */
  readonly signal?: AbortSignal
}

/** How long a healed cluster may take until every replica places again. */
const RECOVERY_MS = 30_000
const AGGREGATES = 3
const SHOWN = 5

/**
 * Several service processes on one database, callers that mix all calls, and faults: afterwards the callers' histories and
 * the state that the replicas show are judged by rules that know nothing of how the service works.
 */
export async function runNemesis(checks: Checks, options: NemesisOptions, say: (line: string) => void): Promise<Figures> {
  const { replicas, engine, signal = new AbortController().signal } = options
  return withFolder(async (folder) => {
    const cluster = await startCluster({ folder, replicas, startEngine: engines[engine], signal, say })
    try {
      say(`  attacked: ${cluster.engine.parts}`)
      return await attack(checks, options, cluster, signal)
    } finally {
      await cluster.close()
    }
  })
}

/** The killings and the fail-overs come first: a short run has them too. */
const FIRST: readonly string[] = [
  'kill -9 of a replica',
  'kill -9 of the primary',
  'fail-over to the standby',
  'fail-over after a restart that the standby did not see',
  "kill -9 of the stream's leader",
  'two of three nats-servers down',
  "SIGSTOP of the stream's leader",
]

async function attack(checks: Checks, { seconds, clients, seed, faults }: NemesisOptions, cluster: Cluster, signal: AbortSignal) {
  const setting = settingFor(seed, clients)
  const agents = createHostAgents(setting)
  const first = cluster.replicas[0]?.client as Client
  for (const { name } of setting.hosts) {
    const { instances, ...report } = agents.report(name)
    await perform(first, { type: 'report', host: name, instances }, report)
  }
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
    now,
    isOver: () => over,
    isLate: () => signal.aborted || now() > seconds * 1_000 + 2 * RECOVERY_MS,
  }
  const all = faultsOf(cluster, (replica, random) => overload(run, replica, random))
  const unknown = faults?.filter((name) => !all.some((fault) => fault.name === name)) ?? []
  if (unknown.length > 0)
    throw new Error(`there is no fault ${unknown.join(', ')} here; there are: ${all.map(({ name }) => name).join(', ')}`)
  const named = (names: readonly string[]) => names.flatMap((name) => all.filter((fault) => fault.name === name))
  const load = Promise.all([
    ...Array.from({ length: clients }, (_, n) => runClient(n, run)),
    ...cluster.replicas.map((_replica, i) => keepReading(run, i)),
  ])
  // a client that fails is a defect of the run: it ends at once
  load.catch(() => {
    over = true
  })
  const injecting = injectFaults({
    seed,
    replicas: cluster.replicas.length,
    first: named(faults ?? FIRST),
    all: faults === undefined ? all : named(faults),
    now,
    isOver: () => over || signal.aborted || now() > seconds * 1_000,
  })
  const injected = await injecting.finally(() => {
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
  checks.check('no call ends in a defect', defects.length === 0, () => `${defects.length} calls, the first: ${JSON.stringify(defects[0])}`)
  const invalid = history.filter(({ outcome }) => outcome.type === 'ok' && outcome.answer.type === 'invalid')
  checks.check('no call is refused for its form', invalid.length === 0, () => `${invalid.length}, the first: ${JSON.stringify(invalid[0])}`)
  return figuresOf({ history, injected, left: cluster.engine.left, final: finals[0], setting })
}

async function createAggregate(client: Client, name: string): Promise<string> {
  const { aggregateCreate } = await client.request<{ aggregateCreate: { aggregate?: { uuid: string } } }>(
    'mutation Create($name: String!) { aggregateCreate(input: { name: $name }) { __typename ... on AggregatePayload { aggregate { uuid } } } }',
    { name },
  )
  if (aggregateCreate.aggregate === undefined) throw new Error(`aggregate ${name} was not made`)
  return aggregateCreate.aggregate.uuid
}

/** Nothing is broken any more: every replica answers a placing, whatever the answer is. */
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

/** Reservations run out, hosts tell what really runs there, and every replica is as new as the log. */
async function settle(run: Run): Promise<void> {
  const first = run.clientOf(0)
  const again = (host: string) => {
    const { incarnation, sequence, stats } = run.agents.report(host)
    return { name: { host }, reporter: { incarnation, sequence }, report: { full: stats } }
  }
  const [host] = run.setting.hosts
  if (host === undefined) return
  await makeFresh(first, again(host.name))
  for (const deadline = run.now() + RECOVERY_MS; run.now() < deadline; await sleep(200))
    if ((await claimsOf(first, ['RESERVED'])).length === 0) break
  const live = new Map(
    (await claimsOf(first)).filter(({ state }) => isLiveState(state)).map((claim) => [`${claim.instance} ${claim.host}`, claim]),
  )
  for (const { name } of run.setting.hosts) {
    for (const instance of run.agents.running(name)) if (!live.has(`${instance} ${name}`)) run.agents.stop(name, instance)
    const { instances, ...report } = run.agents.report(name)
    await perform(first, { type: 'report', host: name, instances }, report)
  }
  for (let replica = 0; replica < run.replicas; replica++) await makeFresh(run.clientOf(replica), again(host.name))
}
