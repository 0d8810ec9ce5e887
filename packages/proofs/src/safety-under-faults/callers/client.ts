import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@gantt/client'
import { createRandom } from '@gantt/scheduler-core'
import type { Amounts, Attempt, Call, ClaimRef, Group, Operation, Outcome, Place, PlacedClaim, Setting } from '../history.ts'
import { HUGE_PAGE_MIB, isPickedUnit, PICKED_UNITS } from '../picked-units.ts'
import { LICENCES, uuidOf } from '../setting.ts'
import { perform, type ReportBody } from './calls.ts'
import type { HostAgents } from './host-agents.ts'

/** The state that all clients of a run share. */
export interface Run {
  readonly seed: string
  readonly setting: Setting
  readonly aggregates: readonly string[]
  readonly agents: HostAgents
  readonly replicas: number
  /**
   * Whether the log is at feature level 8 or above. If it is, callers also request instances that already have a claim. Requests then
   * include GPUs, dedicated CPUs, PCI devices and huge pages, and some reports are wrong.
   */
  isStrict: boolean
  /** Whether every replica reads the feature level from which on hosts can leave. */
  hostsMayLeave: boolean
  /** Whether every replica reads the feature level from which on operators can set ratios and reserved amounts of hosts. */
  setsRatios: boolean
  /** Whether every replica reads the feature level from which on claims keep devices whose properties change. */
  changesDevices: boolean
  /** Whether about every fourth step of a caller removes or renames a host, so that each kind of these calls happens soon. */
  leavesOften: boolean
  /** A client with the present address of a replica. */
  clientOf(replica: number): Client
  readonly history: Operation[]
  readonly clients: number
  now(): number
  isOver(): boolean
  /**
   * Whether the run was aborted or has lasted so long that callers stop retrying calls. An outcome that is unknown at this time remains
   * unknown.
   */
  isLate(): boolean
}

interface Held {
  readonly claim: PlacedClaim
  readonly call: Place
  /** The id of the decision that made the claim. */
  readonly decision: string | undefined
  confirmed: boolean
}

/** A client that holds more than this many claims releases several of them. */
const MAX_HELD_CLAIMS = 14
const TRIES = 4
/**
 * After a call without an answer, a caller waits this many milliseconds. Otherwise it would call a replica that is down in a tight loop.
 */
const PAUSE_MS = 40
const TTLS_MS = [1_000, 2_000, 3_000] as const

/**
 * Runs one caller. It makes all kinds of calls until the run ends, retries calls that got no answer, and finally enables the hosts that it
 * has disabled.
 */
export async function runClient(n: number, run: Run): Promise<void> {
  const random = createRandom(`${run.seed}/client-${n}`)
  const pick = <T>(items: readonly T[]): T | undefined => items[random.below(items.length)]
  const held: Held[] = []
  const done: Place[] = []
  const ownHosts = run.setting.hosts.filter((_host, i) => i % run.clients === n)
  const closed = new Set<string>()
  let made = 0
  let renamed = 0
  let revision = 0

  const ask = async (call: Call, { replica = random.below(run.replicas), report }: { replica?: number; report?: ReportBody } = {}) => {
    const invokedAt = run.now()
    const outcome = await perform(run.clientOf(replica), call, report)
    run.history.push({ client: n, replica, invokedAt, endedAt: run.now(), call, outcome })
    if (outcome.type === 'ok') note(outcome.answer)
    else await sleep(PAUSE_MS)
    return outcome
  }
  const note = (answer: Extract<Outcome, { type: 'ok' }>['answer']): void => {
    if (answer.type === 'placed' || answer.type === 'abandoned') revision = Math.max(revision, answer.revision)
    if (answer.type === 'ends') revision = Math.max(revision, ...answer.results.map((result) => result.revision))
  }
  /** Sends a call to one replica after another until one of them succeeds, at most `tries` times. Stops early if the run ends. */
  const askUntilAnswered = async (call: Call, tries: number): Promise<Outcome> => {
    const first = random.below(run.replicas)
    let outcome = await ask(call, { replica: first })
    for (let i = 1; i < tries && outcome.type !== 'ok' && !run.isLate(); i++)
      outcome = await ask(call, { replica: (first + i) % run.replicas })
    return outcome
  }

  const flavor = (): Amounts => {
    const vcpus = 1 + random.below(3)
    const unit = pick(PICKED_UNITS)
    if (!run.isStrict || unit === undefined || random.below(3) === 0) return { VCPU: vcpus, MEMORY_MB: 512 * vcpus }
    const count = 1 + random.below(2)
    return { VCPU: count, MEMORY_MB: HUGE_PAGE_MIB * count, [unit]: count }
  }

  /** Places new instances, or an instance that moves. Returns whether this succeeded. */
  const place = async (more: Partial<Place>): Promise<boolean> => {
    const key = `${run.seed}-${n}-${made++}`
    // One call in five requests licences. Odd amounts break the unit rule of licences, so such a call finds no host.
    const licences = random.below(5) === 0 ? { [LICENCES]: 1 + random.below(7) } : {}
    const mode = random.below(3) === 0 ? 'CONFIRM' : 'RESERVE'
    const call: Place = {
      type: 'place',
      key,
      amounts: { ...flavor(), ...licences },
      instances: [uuidOf(`${key}/0`)],
      mode,
      ttlMs: pick(TTLS_MS) ?? TTLS_MS[0],
      group: null,
      moveOf: null,
      minRevision: null,
      ...more,
    }
    let outcome = await ask(call)
    // If an earlier call with this key was not answered, it can have succeeded even if a later call with the key fails.
    const isOpen = outcome.type === 'info'
    for (let i = 1; i < TRIES && isOpen && outcome.type !== 'ok'; i++) outcome = await ask(call)
    if (isOpen && outcome.type !== 'ok') outcome = await askUntilAnswered({ type: 'abandon', key }, Number.POSITIVE_INFINITY)
    if (outcome.type !== 'ok' || outcome.answer.type !== 'placed') return false
    done.push(call)
    const { claims, decision } = outcome.answer
    for (const claim of claims) held.push({ claim, call, decision, confirmed: call.mode === 'CONFIRM' && call.moveOf === null })
    return true
  }
  const placeNew = async (): Promise<void> => void (await place({}))

  const refOf = ({ claim: { id, fence } }: Held): ClaimRef => ({ id, fence })
  const take = (some: readonly Held[]): void => {
    for (const one of some) held.splice(held.indexOf(one), 1)
  }
  const stop = ({ claim }: Held): void => {
    if (claim.instance !== null) run.agents.stop(claim.host, claim.instance)
  }
  const start = ({ claim, call }: Held): void => {
    if (claim.instance !== null) run.agents.start(claim.host, claim.instance, call.amounts)
  }

  const confirm = async (): Promise<void> => {
    const some = held.filter(({ confirmed }) => !confirmed).slice(0, 1 + random.below(3))
    if (some.length === 0) return placeNew()
    const outcome = await askUntilAnswered({ type: 'confirm', claims: some.map(refOf), ttlMs: 0 }, TRIES)
    if (outcome.type !== 'ok' || outcome.answer.type !== 'ends') return
    const { results } = outcome.answer
    for (const [i, one] of some.entries()) {
      if (results[i]?.end !== 'done') {
        take([one])
        stop(one)
        continue
      }
      one.confirmed = true
      const source = held.find(({ claim }) => claim.id === one.call.moveOf?.id)
      if (source !== undefined) {
        take([source])
        stop(source)
      }
      start(one)
    }
    // In half of the cases, the host of the first of these claims reports at once.
    const first = some.find(({ confirmed }) => confirmed)
    if (first !== undefined && random.below(2) === 0) await reportOf(first.claim.host)
  }

  const release = async (): Promise<void> => {
    const some = held.slice(0, 1 + random.below(3))
    if (some.length === 0) return placeNew()
    const outcome = await askUntilAnswered({ type: 'release', claims: some.map(refOf), ttlMs: 0 }, Number.POSITIVE_INFINITY)
    take(some)
    if (outcome.type === 'ok') for (const one of some) stop(one)
  }

  const extend = async (): Promise<void> => {
    const some = held.filter(({ confirmed }) => !confirmed).slice(0, 2)
    if (some.length > 0) await ask({ type: 'extend', claims: some.map(refOf), ttlMs: 3_000 })
    // An instance can run before its claim is confirmed. The host's report, which lists the instance, then makes the claim MATERIALISED.
    const [first] = some
    if (first !== undefined && first.call.moveOf === null && random.below(2) === 0) start(first)
  }

  /** Repeats an earlier call on any replica, as a caller that lost the answer would. */
  const repeat = async (): Promise<void> => {
    const call = pick(done.slice(-40))
    if (call === undefined) return placeNew()
    const mayWait = call.attempt?.type !== 'alternate'
    await ask({ ...call, minRevision: mayWait && random.below(2) === 0 ? revision : null })
  }

  const abandon = async (): Promise<void> => {
    const isNew = random.below(3) === 0
    const call = isNew ? undefined : pick(done.slice(-10))
    const key = call?.key ?? `${run.seed}-${n}-unused-${made++}`
    const outcome = await askUntilAnswered({ type: 'abandon', key }, Number.POSITIVE_INFINITY)
    if (outcome.type !== 'ok') return
    const ended = held.filter((one) => one.call.key === key)
    take(ended)
    for (const one of ended) stop(one)
  }

  const reportOf = async (host: string): Promise<Outcome> => {
    const { instances, used, ...body } = run.agents.report(host, { isTruthful: !run.isStrict, changesDevices: run.changesDevices })
    return ask({ type: 'report', host, as: run.agents.nameOf(host), instances, used }, { report: body })
  }
  const report = async (): Promise<void> => {
    const host = pick(ownHosts)
    if (host === undefined) await repeat()
    else await reportOf(host.name)
  }

  const setStatus = async (host: string, status: 'ENABLED' | 'DISABLED'): Promise<void> => {
    const outcome = await askUntilAnswered({ type: 'status', host, status, as: run.agents.nameOf(host) }, Number.POSITIVE_INFINITY)
    if (outcome.type === 'ok') closed[status === 'DISABLED' ? 'add' : 'delete'](host)
  }
  const openOrClose = async (): Promise<void> => {
    const [shut] = closed
    if (shut !== undefined) return setStatus(shut, 'ENABLED')
    const host = pick(ownHosts)
    if (host !== undefined) await setStatus(host.name, 'DISABLED')
  }

  /**
   * Removes one of the caller's own hosts and readmits it, or gives the host another name. Retries each call until it is answered.
   */
  const leave = async (): Promise<void> => {
    const host = pick(ownHosts.filter(({ name }) => !closed.has(name)))?.name
    if (host === undefined || !run.hostsMayLeave) return placeNew()
    const as = run.agents.nameOf(host)
    const how = pick(['forget', 'force', 'replace'] as const) ?? 'replace'
    if (how === 'replace') {
      const by = `${host}~${++renamed}`
      const outcome = await askUntilAnswered({ type: 'leave', host, how, as, by }, Number.POSITIVE_INFINITY)
      if (outcome.type === 'ok') run.agents.rename(host, by)
      return
    }
    await askUntilAnswered({ type: 'leave', host, how, as, by: null }, Number.POSITIVE_INFINITY)
    // The host does not know that it was removed, so it reports again.
    await reportOf(host)
    if (random.below(2) === 0) await placeNew()
    await askUntilAnswered({ type: 'leave', host, how: 'readmit', as, by: null }, Number.POSITIVE_INFINITY)
    let outcome = await reportOf(host)
    while (outcome.type !== 'ok' && !run.isLate()) outcome = await reportOf(host)
  }

  /**
   * Reserves a part of one of the caller's own hosts, or lowers the host's ratio. The capacity never gets larger than the real size of the
   * host, so that allocations can be checked against this size.
   */
  const allocate = async (): Promise<void> => {
    const host = pick(ownHosts)?.name
    if (host === undefined || !run.setsRatios) return placeNew()
    const values = pick([
      { resourceClass: 'VCPU', ratio: null, reserved: pick([1, 3, null]) ?? null },
      { resourceClass: LICENCES, ratio: pick([0.5, 0.25, null]) ?? null, reserved: pick([1, null]) ?? null },
    ])
    if (values !== undefined)
      await askUntilAnswered({ type: 'allocate', host, as: run.agents.nameOf(host), ...values }, Number.POSITIVE_INFINITY)
  }

  const versions = new Map<string, number>()
  const edit = async (): Promise<void> => {
    const uuid = pick(run.aggregates)
    if (uuid === undefined) return
    const ifVersion = versions.get(uuid) ?? 1
    const outcome = await ask({ type: 'aggregate', uuid, ifVersion })
    // After a conflict the aggregate's version is unknown, so the next version is tried.
    versions.set(uuid, outcome.type === 'ok' && outcome.answer.type === 'edited' ? outcome.answer.version : ifVersion + 1)
  }

  const move = async (): Promise<void> => {
    const source = held.find(
      ({ claim, confirmed, call }) =>
        confirmed && call.group?.policy !== 'AFFINITY' && !held.some((other) => other.call.moveOf?.id === claim.id),
    )
    if (source === undefined || source.claim.instance === null) return confirm()
    const { call, claim } = source
    await place({ moveOf: refOf(source), instances: [claim.instance as string], amounts: call.amounts, group: call.group, mode: 'RESERVE' })
  }

  /**
   * Retries an instance that could not be built on its host. The call does not name the claim of the instance. If the move of an earlier
   * attempt is not finished, this call ends that move.
   */
  const tryElsewhere = async (): Promise<void> => {
    const source = pick(
      held.filter(({ confirmed, claim, call }) => confirmed && claim.instance !== null && call.group?.policy !== 'AFFINITY'),
    )
    if (source === undefined || !run.isStrict) return confirm()
    const open = held.find(({ call }) => call.moveOf?.id === source.claim.id)
    const { call, claim } = source
    const attempt = attemptFor(source, open)
    if (attempt === undefined) return placeNew()
    const isPlaced = await place({
      moveOf: refOf(source),
      instances: [claim.instance as string],
      amounts: call.amounts,
      group: call.group,
      mode: 'RESERVE',
      attempt,
    })
    if (!isPlaced || open === undefined) return
    take([open])
    stop(open)
  }
  /**
   * The next attempt to place an instance: a retry in Nova's form, or an alternate. Undefined if Nova's form cannot express the request and
   * there is no alternate.
   */
  const attemptFor = (source: Held, open: Held | undefined): Attempt | undefined => {
    const { decision, claim } = open ?? source
    const ends = open === undefined ? null : refOf(open)
    const host = pick(claim.alternates ?? [])
    const alternate: Attempt | undefined =
      decision === undefined || host === undefined ? undefined : { type: 'alternate', decision, host, ends }
    if (Object.keys(source.call.amounts).some(isPickedUnit) || (alternate !== undefined && random.below(2) === 0)) return alternate
    const tried = [source, ...(open === undefined ? [] : [open])].map((one) => run.agents.nameOf(one.claim.host))
    return { type: 'retry', tried, ends }
  }

  /** Makes a call with an outdated fence. The call must be refused. */
  const mistake = async (): Promise<void> => {
    const one = pick(held)
    if (one !== undefined)
      await ask({
        type: pick(['confirm', 'extend', 'release'] as const) ?? 'confirm',
        claims: [{ id: one.claim.id, fence: one.claim.fence - 1 }],
        ttlMs: 3_000,
      })
  }

  /** Makes another request with a used key. The request must neither get the old answer nor be placed. */
  const misuse = async (): Promise<void> => {
    const call = pick(done.slice(-40))
    if (call === undefined) return placeNew()
    const instance = uuidOf(`${call.key}/misuse`)
    const { VCPU: vcpus = 0, MEMORY_MB: memoryMib = 0 } = call.amounts
    await ask({ type: 'misuse', key: call.key, amounts: { VCPU: vcpus + 1, MEMORY_MB: memoryMib }, instance })
  }

  /**
   * Requests an existing instance again with another key, as a caller that lost its key would. The instance must not get a second claim.
   */
  const again = async (): Promise<void> => {
    const one = pick(held.filter(({ confirmed, claim }) => confirmed && claim.instance !== null))
    if (one === undefined || !run.isStrict) return placeNew()
    const { amounts, group } = one.call
    await ask({ type: 'again', key: `${run.seed}-${n}-again-${made++}`, amounts, instance: one.claim.instance as string, group })
  }

  const inGroup = (): Promise<unknown> => {
    const group: Group | null = pick(run.setting.groups) ?? null
    const count = 1 + random.below(2)
    return place({ group, instances: Array.from({ length: count }, (_, i) => uuidOf(`${run.seed}-${n}-${made}/${i}`)) })
  }
  const several = (): Promise<unknown> =>
    place({ instances: Array.from({ length: 2 + random.below(3) }, (_, i) => uuidOf(`${run.seed}-${n}-${made}/${i}`)) })

  const mix: readonly (readonly [weight: number, step: () => Promise<unknown>])[] = [
    [24, placeNew],
    [8, several],
    [14, inGroup],
    [18, confirm],
    [3, extend],
    [8, release],
    [8, repeat],
    [2, abandon],
    [10, report],
    [1, openOrClose],
    [2, leave],
    [2, edit],
    [3, allocate],
    [6, move],
    [4, tryElsewhere],
    [2, mistake],
    [1, misuse],
    [4, again],
    [3, async () => void (await ask({ type: 'read' }))],
  ]
  const steps = mix.flatMap(([weight, step]) => Array.from({ length: weight }, () => step))

  while (!run.isOver()) {
    const step = run.leavesOften && random.below(4) === 0 ? leave : (pick(steps) ?? confirm)
    await (held.length > MAX_HELD_CLAIMS ? release() : step())
  }
  for (const host of closed) await setStatus(host, 'ENABLED')
}
