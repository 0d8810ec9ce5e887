import { setTimeout as sleep } from 'node:timers/promises'
import { ALLOCATION_RULES, FEATURE_LEVEL, HOSTS_LEAVE, KEPT_DEVICES, STRICT_CLAIMS } from '@gantt/scheduler-core'
import type { Checks } from '../checks.ts'
import { withFolder } from '../processes/folder.ts'
import type { Run } from '../safety-under-faults/callers/client.ts'
import { ask, reservation } from '../safety-under-faults/callers/extra-load.ts'
import { type Cluster, type Release, type ReplicaProcess, type StartRelease, startCluster } from '../safety-under-faults/cluster.ts'
import { type EngineName, engines } from '../safety-under-faults/engines/index.ts'
import type { Injected } from '../safety-under-faults/faults/faults.ts'
import type { Leave, Operation } from '../safety-under-faults/history.ts'
import { type Figures, linesOf } from '../safety-under-faults/report.ts'
import { underLoad } from '../safety-under-faults/under-load.ts'
import { callsOf, type KeyedCalls } from './keyed-calls.ts'
import { held, isNewer, levelOfLog, levelReached, levelReadBy, needNewer, type Older, olderRelease, unlimited } from './releases.ts'
import { checkSame } from './same.ts'

export interface UpgradeOptions {
  readonly engine: EngineName
  /** The folder of a built checkout of the older release. If not given, this release limited to an older feature level is used. */
  readonly from?: string
  /** How long callers make calls between two rounds of restarts, in seconds. */
  readonly seconds: number
  readonly clients: number
  readonly seed: string
  /** How replicas are started. If absent, each replica is a process of the command line. */
  readonly startRelease?: StartRelease
  /** Ends the run early. Everything is stopped, and the run throws an error. */
  readonly signal?: AbortSignal
}

export interface UpgradeFigures extends Figures, KeyedCalls {
  /** How many decisions were replayed. */
  readonly verified: number
  /** How many calls removed, readmitted or renamed a host, by the kind of call. */
  readonly leaves: Readonly<Record<Leave['how'], number>>
}

const REPLICAS = 3
/** The time limit of a restart in milliseconds. Callers retry unanswered calls for as long as all restarts of a run may take. */
const RESTART_MS = 60_000
const ROUNDS = 3
const RETRY_DELAY_MS = 50
/** Callers must have removed, readmitted and renamed hosts within this many milliseconds. */
const LEAVES_MS = 120_000

/**
 * Replaces three replicas of an older release under load, one after the other, by a newer release that is limited to the older feature
 * level. Then replaces them by the older release again, and then by the newer release without the limit. After that the level of the log
 * rises, and the older release must refuse to start. The answers to the callers are checked by the same rules as in the nemesis.
 */
export function runUpgrade(checks: Checks, options: UpgradeOptions, say: (line: string) => void): Promise<UpgradeFigures> {
  const { engine, from, seconds, clients, seed, startRelease, signal = new AbortController().signal } = options
  const older = olderRelease(from)
  return withFolder(async (folder) => {
    const cluster = await startCluster({
      folder,
      replicas: REPLICAS,
      startEngine: engines[engine],
      release: older.release,
      smallDisks: false,
      signal,
      say,
      ...(startRelease === undefined ? {} : { startRelease }),
    })
    try {
      const maxRunMs = ROUNDS * REPLICAS * RESTART_MS + (ROUNDS + 1) * seconds * 1_000
      const isStrict = (await levelReadBy((cluster.replicas[0] as ReplicaProcess).client)) >= STRICT_CLAIMS
      const { history, ...figures } = await underLoad(checks, cluster, { seed, clients, maxRunMs, signal, isStrict }, (run) =>
        thereAndBack(checks, { cluster, older, run, seconds, signal, say }),
      )
      const calls = callsOf(history)
      checks.check('no call with a key is without an answer', calls.unanswered === 0, () => `${calls.unanswered} of ${calls.keys}`)
      const leaves = leavesOf(history)
      checks.check('hosts leave in the run, come back and get other names', hasAllOf(leaves), () => JSON.stringify(leaves))
      return { ...figures, ...calls, leaves, verified: await checkSame(checks, cluster) }
    } finally {
      await cluster.close()
    }
  })
}

interface Upgrade {
  readonly cluster: Cluster
  readonly older: Older
  readonly run: Run
  readonly seconds: number
  readonly signal: AbortSignal
  say(line: string): void
}

async function thereAndBack(checks: Checks, upgrade: Upgrade): Promise<Injected[]> {
  const { cluster, older, seconds, say } = upgrade
  const [first] = cluster.replicas as [ReplicaProcess]
  const level = await levelReadBy(first.client)
  say(`  from: ${older.name}, which reads feature level ${level}; to: this release, which reads ${FEATURE_LEVEL}, limited to ${level}`)
  const done: Injected[] = []
  const next = async (name: string, release: Release): Promise<void> => {
    await calm(upgrade, seconds)
    done.push(...(await roll(checks, upgrade, name, release)))
  }
  await next('a replica: the older release to the newer, level limited', held(level))
  if (level < FEATURE_LEVEL) await checkHeldBack(checks, cluster, level)
  await next('a replica: back to the older release', older.release)
  await next('a replica: the older release to the newer', unlimited)
  if (level < FEATURE_LEVEL) await checkRaised(checks, cluster, older, level)
  else say(`  not tried: raising the log's level, since both releases read ${level}`)
  await tryAllOf(upgrade)
  return done
}

/** Lets callers make all calls that the log's feature level permits, until hosts have been removed, readmitted and renamed. */
async function tryAllOf(upgrade: Upgrade): Promise<void> {
  const { cluster, run, seconds } = upgrade
  const level = await levelOfLog((cluster.replicas[0] as ReplicaProcess).client)
  run.isStrict = level >= STRICT_CLAIMS
  run.hostsMayLeave = level >= HOSTS_LEAVE
  run.setsRatios = level >= ALLOCATION_RULES
  run.changesDevices = level >= KEPT_DEVICES
  await calm(upgrade, seconds)
  run.leavesOften = run.hostsMayLeave
  for (const end = run.now() + LEAVES_MS; run.hostsMayLeave && run.now() < end; await calm(upgrade, 1))
    if (hasAllOf(leavesOf(run.history))) break
  run.leavesOften = false
}

/**
 * Whether hosts have been removed, readmitted and renamed. A removal by `forget` or by `force` is enough, because in a small fleet nearly
 * all hosts have claims, and `forget` is then refused.
 */
const hasAllOf = ({ forget, force, readmit, replace }: UpgradeFigures['leaves']): boolean =>
  forget + force > 0 && readmit > 0 && replace > 0

/** Counts the calls that removed, readmitted or renamed a host, by kind. */
function leavesOf(history: readonly Operation[]): UpgradeFigures['leaves'] {
  const counts = { forget: 0, force: 0, readmit: 0, replace: 0 }
  for (const { call, outcome } of history)
    if (call.type === 'leave' && outcome.type === 'ok' && outcome.answer.type === 'done') counts[call.how]++
  return counts
}

/** Restarts one replica after the other. Before each restart, the replica that was restarted last must answer writes. */
async function roll(checks: Checks, { cluster, run, signal, say }: Upgrade, fault: string, release: Release): Promise<Injected[]> {
  const done: Injected[] = []
  for (const [i, replica] of cluster.replicas.entries()) {
    signal.throwIfAborted()
    const at = run.now()
    await replica.stop()
    await replica.start(release)
    const isThere = await answers(run, i)
    checks.check('every replica writes after its start', isThere, () => `replica ${i}: ${replica.service?.words.slice(-8).join(' | ')}`)
    done.push({ fault, at, until: run.now() })
  }
  say(`  ${fault}: three, in ${((run.now() - (done[0]?.at ?? 0)) / 1_000).toFixed(1)} s`)
  return done
}

async function answers(run: Run, replica: number): Promise<boolean> {
  const call = reservation(`${run.seed}-started-${replica}-${Math.round(run.now())}`)
  for (const end = run.now() + RESTART_MS; run.now() < end; await sleep(RETRY_DELAY_MS))
    if ((await ask(run, replica, call)).type === 'ok') return true
  return false
}

const calm = ({ signal }: Upgrade, seconds: number): Promise<void> => sleep(seconds * 1_000, undefined, { signal })

/**
 * Checks that a downgrade is still possible while all replicas run the newer release: a call that needs the newer feature level is refused.
 */
async function checkHeldBack(checks: Checks, { replicas }: Cluster, level: number): Promise<void> {
  for (const { client } of isNewer(level) ? replicas : []) {
    const answer = await needNewer(client, 'FEATURE_LEVEL')
    checks.check('level limited: a call that needs the newer level is refused', answer.includes('FEATURE_LEVEL'), () => answer)
  }
  const found = await levelOfLog((replicas[0] as ReplicaProcess).client)
  checks.check("level limited: the older release can read the log's level", found <= level, () => `${found}, not ${level}`)
}

/**
 * Checks the end of the upgrade, after the last replica with a limited level was replaced. The next decision must raise the level. The
 * older release must then refuse to start, with the level of the log in its message.
 */
async function checkRaised(checks: Checks, cluster: Cluster, older: Older, level: number): Promise<void> {
  const { client } = cluster.replicas[0] as ReplicaProcess
  if (isNewer(level)) {
    const answer = await needNewer(client, 'done')
    checks.check('level not limited: a call that needs the newer level is accepted', answer === 'done', () => answer)
  }
  const found = await levelReached(client, FEATURE_LEVEL)
  checks.check(
    "level not limited: the log's level is raised to this release's",
    found === FEATURE_LEVEL,
    () => `${found}, not ${FEATURE_LEVEL}`,
  )
  const why = await cluster.tryToStart(0, older.release)
  const isClear = why?.includes(`feature level to ${found}`) === true || why?.includes(`feature level ${found}`) === true
  checks.check('the older release refuses to start on the raised log, and names its level', isClear, () => why ?? 'it started')
}

/** The figures as lines for people. */
export const textOf = ({ keys, again, unanswered, verified, leaves, ...figures }: UpgradeFigures): string[] => [
  ...linesOf(figures, 'restarts'),
  `keys         ${keys} calls with a key, ${again} of them sent more than once, ${unanswered} without an answer`,
  `verified     ${verified} decisions replayed`,
  `hosts        ${Object.entries(leaves)
    .map(([how, count]) => `${how} ${count}`)
    .join(', ')}`,
]
