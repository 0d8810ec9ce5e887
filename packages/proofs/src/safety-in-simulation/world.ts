import {
  type Change,
  type Checkpoint,
  createRandom,
  DEFAULT_PROFILE,
  type Fleet,
  isLive,
  type Liveness,
  parseRequestSpec,
  type Random,
  type RequestSpec,
} from '@gantt/scheduler-core'
import {
  type Claims,
  createClaims,
  createGroups,
  createHosts,
  createLeaving,
  createStats,
  type Groups,
  type Hosts,
  type Leaving,
  noDocuments,
  openOn,
  type PlacementCall,
  type PlacementOutcome,
  Replica,
  type Stats,
  UnavailableError,
} from '@gantt/server/for-proofs'
import { digestOfFleet, digestOfModel } from './digest.ts'
import { createFakePostgres, type FakePostgres } from './fake-postgres.ts'
import { codesOf, findingsOfFleet, findingsOfModel } from './findings.ts'
import { CLASSES } from './model/allocation.ts'
import { claimsOf, isLive as isLiveInModel } from './model/claim.ts'
import type { ModelEntry } from './model/entry.ts'
import { membersOf } from './model/group.ts'
import { ReferenceModel } from './model/reference-model.ts'
import { freeOf, gpuRoom } from './model/room.ts'
import type { Act, Plan } from './plan.ts'
import { createProcessTimers, createVirtualTime, type VirtualTime } from './virtual-time.ts'

/** Code of ours that a test replaces by something wrong, to see that it is found. */
export interface Planted {
  /** Changes what a replica does with its fleet, from the moment at which it has started. */
  spoil?(fleet: Fleet, now: () => number): void
  /** Changes what a replica starts from. */
  restore?(checkpoint: Checkpoint): Checkpoint
}

export interface Outcome {
  /** What broke, the first first; empty: everything held. */
  readonly violations: readonly string[]
  readonly entries: number
  readonly placed: number
  readonly refused: number
  readonly unknown: number
  readonly voids: number
  /** How often each kind of change counted, and was void for each reason; and what else happened. */
  readonly seen: Readonly<Record<string, number>>
}

interface Process {
  readonly number: number
  /** Which of the processes that were started one after the other. */
  readonly life: number
  readonly replica: Replica
  readonly claims: Claims
  readonly groups: Groups
  readonly hosts: Hosts
  readonly stats: Stats
  readonly leaving: Leaving
  /** Ends what waits for this process when it is killed. */
  readonly killed: Promise<'killed'>
  stall(ms: number): void
  kill(): void
}

interface KnownClaim {
  readonly id: string
  readonly fence: number
  readonly host: string
  readonly instance: string | null
  readonly request: RequestSpec
}

const HOSTS = ['h1', 'h2', 'h3', 'h4']
/** What hosts may be called: machines come up under another name, too. */
const NAMES = [...HOSTS, 'h5']
const DRAIN_MS = 120_000
const GROUPS = [
  { uuid: uuidOf(0x61), policy: 'ANTI_AFFINITY', maxServerPerHost: 1 },
  { uuid: uuidOf(0x62), policy: 'AFFINITY', maxServerPerHost: null },
  { uuid: uuidOf(0x63), policy: 'ANTI_AFFINITY', maxServerPerHost: 2 },
] as const

/** The feature level from which on groups are kept apart from others. */
const GROUPS_APART = 10

const groupAt = (number: number) => GROUPS[number % GROUPS.length] as (typeof GROUPS)[number]

/** Runs one world from its first moment to its end. The same plan gives the same world. */
export async function runWorld(plan: Plan, planted: Planted = {}): Promise<Outcome> {
  const world = new World(plan, planted)
  await world.run()
  return world.outcome()
}

class World {
  readonly #plan: Plan
  readonly #planted: Planted
  readonly #random: Random
  readonly #time: VirtualTime = createVirtualTime()
  readonly #store: FakePostgres
  readonly #model = new ReferenceModel()
  readonly #digests = new Map<number, string>()
  readonly #findings = new Map<number, string>()
  readonly #verdicts = new Map<number, readonly (string | undefined)[]>()
  readonly #violations: string[] = []
  readonly #processes: (Process | undefined)[]
  readonly #calls: PlacementCall[] = []
  readonly #answers = new Map<string, string>()
  readonly #known: KnownClaim[] = []
  readonly #released = new Set<string>()
  readonly #abandoned = new Set<string>()
  readonly #sequences = new Map<string, number>()
  readonly #pending = new Set<string>()
  readonly #seen: Record<string, number> = {}
  #ids = 0
  #lives = 0
  #isOver = false
  readonly #counts = { placed: 0, refused: 0, unknown: 0, voids: 0 }

  constructor(plan: Plan, planted: Planted) {
    this.#plan = plan
    this.#planted = planted
    this.#random = createRandom(`world ${plan.seed}`)
    this.#store = createFakePostgres(this.#time, this.#random)
    this.#store.faults.blind = plan.blind
    this.#processes = new Array(plan.replicas).fill(undefined)
    this.#store.onAppended((entry) => this.#judge({ ...JSON.parse(entry.body), id: entry.id, revision: entry.revision, at: entry.atMs }))
    this.#digests.set(0, digestOfModel(this.#model))
    this.#findings.set(0, findingsOfModel(this.#model))
  }

  outcome(): Outcome {
    return { violations: this.#violations, entries: this.#store.log.length, ...this.#counts, seen: this.#seen }
  }

  async run(): Promise<void> {
    for (let number = 0; number < this.#plan.replicas; number++) this.#start(number)
    await this.#time.runUntil(1_000)
    for (const host of HOSTS) this.#report(host, 0)
    for (const act of this.#plan.acts) {
      await this.#time.runUntil(1_000 + act.at)
      if (this.#violations.length > 0) break
      this.#do(act)
    }
    await this.#end()
  }

  /** Everything is mended, and given time: what is asked is answered, what is over is over, and all agree. */
  async #end(): Promise<void> {
    const { faults } = this.#store
    Object.assign(faults, { cut: 0, deaf: 0, slow: 2, aborted: 0, isDown: false })
    faults.cutOff.clear()
    await this.#time.runUntil(this.#time.now + DRAIN_MS)
    this.#isOver = true
    if (this.#violations.length > 0) return
    for (const call of this.#pending) this.#fail(`L1: ${call} was never answered`)
    const head = this.#store.log.length
    for (const process of this.#processes) {
      if (process === undefined) continue
      const { replica } = process
      if (replica.halted !== undefined) this.#fail(`replica ${process.number} stopped: ${replica.halted.message}`)
      else if (replica.fleet.place.revision !== head)
        this.#fail(`I12: replica ${process.number} stands at ${replica.fleet.place.revision}, the log at ${head}`)
    }
    for (const { id, state, expiresAt } of this.#model.claims)
      if (state === 'RESERVED' && expiresAt !== null && expiresAt < this.#store.clock() - 10_000)
        this.#fail(`L3: claim ${id} is still RESERVED ${this.#store.clock() - expiresAt} ms after its end`)
    for (const id of this.#released) if (isLiveInModel(this.#model.claim(id))) this.#fail(`claim ${id} was released, and lives`)
    for (const key of this.#abandoned)
      for (const claim of this.#model.claims)
        if (claim.key === key && isLiveInModel(claim)) this.#fail(`key ${key} was abandoned, and claim ${claim.id} lives`)
  }

  #fail(what: string): void {
    if (this.#violations.length < 10) this.#violations.push(`${Math.round(this.#time.now)} ms: ${what}`)
  }

  /** The model judges every entry as it enters the log, and the invariants are looked at. */
  #judge(entry: ModelEntry): void {
    const model = this.#model
    const room = (): number[] => model.hosts.flatMap((host) => [...CLASSES.map((name) => freeOf(model, host, name)), gpuRoom(model, host)])
    const before = room()
    const verdicts = model.apply(entry)
    this.#verdicts.set(entry.revision, verdicts)
    this.#digests.set(entry.revision, digestOfModel(model))
    const findings = findingsOfModel(model)
    this.#findings.set(entry.revision, findings)
    for (const code of codesOf(findings)) this.#see(`finds ${code}`)
    for (const [i, change] of entry.changes.entries()) this.#see(`${change.type} ${verdicts[i] ?? 'counts'}`)
    for (const [i, change] of entry.changes.entries())
      if (['claims', 'move', 'instances', 'attempt'].includes(change.type) && verdicts[i] !== undefined) this.#counts.voids++
    // a host that another one goes into reports for both from then on; and whoever sets less than is held, or has use counted as it is
    // reported, leaves what is held as it is
    const mayLower = ['report', 'replace', 'forget', 'usedFrom', 'hostAllocation', 'fleetAllocation', 'aggregate']
    if (!entry.changes.some(({ type }) => mayLower.includes(type)))
      for (const [i, free] of room().entries())
        if (free < Math.min(0, before[i] ?? 0)) this.#fail(`I1: entry ${entry.revision} leaves ${free} of a class, ${before[i]} were there`)
    for (const { uuid, policy, max } of model.groups) {
      const members = membersOf(model, uuid)
      const hosts = members.map(({ host }) => host)
      const most = Math.max(0, ...hosts.map((host) => hosts.filter((other) => other === host).length))
      const moving = members.filter(({ source }) => source !== null).length
      if (policy === 'ANTI_AFFINITY' && most > (max ?? 1)) this.#fail(`I6: ${most} members of ${uuid} on one host, ${max} may be`)
      if (policy === 'AFFINITY' && new Set(hosts).size > 1 + moving) this.#fail(`I6: members of ${uuid} live apart: ${hosts.join(', ')}`)
    }
    for (const claim of model.claims)
      if (isLiveInModel(claim) && model.host(claim.host) === undefined) this.#fail(`I7: claim ${claim.id} is on ${claim.host}, which left`)
    for (const claim of model.claims) {
      if (!isLiveInModel(claim) || claim.instance === null) continue
      const others = claimsOf(model, claim.instance, claim).filter(
        (other) => other !== claim && other.id !== claim.source && other.id !== claim.target,
      )
      if (others.length > 0)
        this.#fail(`I17: instance ${claim.instance} has claims ${claim.id} and ${others.map(({ id }) => id).join(', ')}`)
    }
    for (const key of model.keys) {
      const claims = model.claims.filter(({ id }) => key.claims.includes(id))
      if (claims.length !== key.claims.length) this.#fail(`I5: of ${key.claims.length} claims of key ${key.key} ${claims.length} are there`)
    }
  }

  #see(what: string): void {
    this.#seen[what] = (this.#seen[what] ?? 0) + 1
  }

  #start(number: number): void {
    const time = createProcessTimers(this.#time, { base: this.#random.below(1_000_000), rate: 0.98 + this.#random.below(40) / 1_000 })
    const life = this.#lives++
    const driver = this.#store.driver(life)
    let kill = (): void => {}
    const killed = new Promise<'killed'>((resolve) => {
      kill = () => {
        time.kill()
        this.#store.disconnect(life)
        resolve('killed')
      }
    })
    const { restore, spoil } = this.#planted
    const tryToStart = async (): Promise<Replica> => {
      const store = await openOn(driver, time.timers)
      const loadCheckpoint = async (atMost: number): Promise<Checkpoint | undefined> => {
        const checkpoint = await store.loadCheckpoint(atMost)
        if (checkpoint !== undefined) this.#see('start from a checkpoint')
        return checkpoint && restore ? restore(checkpoint) : checkpoint
      }
      return Replica.start({
        store: { ...store, loadCheckpoint },
        name: `r${number}.${life}`,
        timers: time.timers,
        warn: () => {},
        recordUnlogged: async () => {},
        newId: () => uuidOf(0x1_0000 + this.#ids++),
        newSeed: () => `s${this.#ids++}`,
      })
    }
    const begin = (): void => {
      tryToStart().then(
        (replica) => {
          this.#compare(replica.fleet, `replica ${number} at its start`)
          spoil?.(replica.fleet, time.timers.now)
          replica.onApplied(({ entry, verdicts }) => {
            const expected = this.#verdicts.get(entry.revision) ?? []
            if (verdicts.some((verdict, i) => verdict !== expected[i]))
              this.#fail(
                `replica ${number} judges entry ${entry.revision} ${verdicts.map(String).join(', ')}; the model ${expected.map(String).join(', ')}`,
              )
            this.#compare(replica.fleet, `replica ${number}`)
          })
          this.#processes[number] = {
            number,
            life,
            replica,
            claims: createClaims(replica),
            groups: createGroups(replica),
            hosts: createHosts(replica),
            stats: createStats(replica, noDocuments),
            leaving: createLeaving(replica),
            killed,
            kill,
            stall: time.stall,
          }
        },
        // the store was away: whoever looks after processes starts it again
        () => void time.timers.after(500, begin),
      )
    }
    begin()
  }

  #compare(fleet: Fleet, who: string): void {
    const digest = digestOfFleet(fleet)
    const expected = this.#digests.get(fleet.place.revision)
    if (digest !== expected)
      this.#fail(`I12, I13: ${who} differs from the model at revision ${fleet.place.revision}: ${difference(digest, expected ?? '')}`)
    const findings = findingsOfFleet(fleet)
    const known = this.#findings.get(fleet.place.revision)
    if (findings !== known)
      this.#fail(
        `I18: the auditor of ${who} finds at revision ${fleet.place.revision} what the model does not: ${difference(findings, known ?? '')}`,
      )
  }

  /** A call, its end, and what is owed to it: an answer, unless its process is killed. */
  #ask<T>(process: Process, name: string, call: Promise<T>, answered: (answer: T) => void): void {
    const label = `${name} (${this.#ids++})`
    this.#pending.add(label)
    void Promise.race([call, process.killed]).then(
      (answer) => {
        this.#pending.delete(label)
        if (answer === 'killed') this.#counts.unknown++
        else answered(answer as T)
      },
      (error: unknown) => {
        this.#pending.delete(label)
        // what was asked may or may not have happened
        if (error instanceof UnavailableError) this.#counts.unknown++
        else this.#fail(`${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
      },
    )
  }

  #do(act: Act): void {
    const { what, a, b, c } = act
    const process = this.#processes[a % this.#plan.replicas]
    const { faults } = this.#store
    const later = (ms: number, callback: () => void): void => void this.#time.after(ms, () => this.#isOver || callback())
    switch (what) {
      case 'kill': {
        if (process === undefined) return
        process.kill()
        this.#processes[process.number] = undefined
        later(100 + b * 10, () => this.#start(process.number))
        return
      }
      case 'serverCrash':
        this.#store.crash()
        faults.isDown = true
        later(10 + b * 5, () => {
          faults.isDown = false
        })
        return
      case 'cutOff': {
        if (process === undefined) return
        faults.cutOff.add(process.life)
        later(b * 20, () => faults.cutOff.delete(process.life))
        return
      }
      case 'stall':
        if (process === undefined) return
        process.stall(b * 4)
        faults.stalled.set(process.life, this.#time.now + b * 4)
        return
      case 'aborts':
        faults.aborted = 0.2
        later(c * 5, () => {
          faults.aborted = 0
        })
        return
      case 'cuts':
        faults.cut = 0.05 + (b % 10) / 40
        later(c * 10, () => {
          faults.cut = 0
        })
        return
      case 'slow':
        faults.slow = 20 + b
        later(c * 10, () => {
          faults.slow = 2
        })
        return
      case 'deaf':
        faults.deaf = 1
        later(c * 20, () => {
          faults.deaf = 0
        })
        return
      case 'jump':
        this.#store.jump((b - 500) * (c % 2 === 0 ? 20 : 7_200))
        return
      case 'report':
        this.#report(NAMES[a % NAMES.length] as string, b)
        return
      default:
        if (process === undefined || process.replica.halted !== undefined) return
        // who stands still hears of a call when they go on
        later(
          (faults.stalled.get(process.life) ?? 0) - this.#time.now,
          () => this.#processes[process.number] === process && this.#callFor(process, act),
        )
    }
  }

  #callFor(process: Process, { what, b, c }: Act): void {
    const { replica } = process
    const claim = this.#known[b % Math.max(1, this.#known.length)]
    // the last ones: destinations of open moves among them
    const recent = this.#known[this.#known.length - 1 - (b % Math.max(1, Math.min(6, this.#known.length)))]
    const host = NAMES[b % NAMES.length] as string
    const propose = (name: string, change: Change): void => this.#ask(process, `${name} of ${host}`, replica.propose([change]), () => {})
    switch (what) {
      case 'place':
        this.#place(process, this.#newCall(b, c))
        break
      case 'retry': {
        const call = this.#calls[this.#calls.length - 1 - (b % Math.max(1, Math.min(8, this.#calls.length)))]
        if (call !== undefined) this.#place(process, call)
        break
      }
      case 'status':
        this.#ask(
          process,
          `status of ${host}`,
          process.hosts.setStatus({ hosts: [{ host }], status: c % 3 === 0 ? 'DISABLED' : 'ENABLED', reason: 'test', dryRun: false }),
          () => {},
        )
        break
      case 'forget':
        // now and then by a replica that has not looked whether it may
        if (c % 2 === 1) propose(what, { type: what, hosts: [{ host, node: host }], isForced: c % 5 === 0, reason: 'simulated' })
        else
          this.#ask(
            process,
            `forget ${host}`,
            process.leaving.forget({ hosts: [{ host }], force: c % 3 === 0, reason: 'simulated', dryRun: c % 7 === 0 }),
            () => {},
          )
        break
      case 'readmit':
        this.#ask(process, `readmit ${host}`, process.leaving.readmit({ host }, 'simulated'), () => {})
        break
      case 'replace': {
        const to = NAMES[c % NAMES.length] as string
        const by = { host: to }
        if (b % 2 === 1) {
          const pair = { from: { host, node: host }, to: { host: to, node: to } }
          propose(what, { type: what, hosts: [pair], reason: 'simulated' })
          break
        }
        this.#ask(process, `replace ${host}`, process.leaving.replace({ host: { host }, by, reason: 'simulated', dryRun: false }), () => {})
        break
      }
      case 'aggregate':
        propose(what, this.#aggregate(replica.fleet, b, c))
        break
      case 'usedFrom':
        propose(what, { type: what, host, node: host, usedFrom: c % 3 === 0 ? 'CLAIMS' : 'REPORT', reason: 'test' })
        break
      case 'hostAllocation': {
        const edit = { ratio: c % 3 === 0 ? null : 1 + (c % 4) / 2, ...(c % 5 === 0 && { reserved: c % 2 === 0 ? null : 1 + (c % 3) }) }
        propose(what, {
          type: what,
          host,
          node: host,
          resourceClass: b % 2 === 0 ? 'VCPU' : 'MEMORY_MB',
          ...edit,
          by: 'ops',
          reason: 'test',
        })
        break
      }
      case 'fleetAllocation': {
        // now and then on a version that another replica has replaced since
        const expectedVersion = Math.max(0, replica.fleet.hosts.fleetAllocation.version - (c % 3 === 0 ? 1 : 0))
        const classes = c % 4 === 0 ? {} : { VCPU: { ratio: 1 + (b % 3), ...(c % 2 === 0 && { reserved: 1 }) } }
        propose(what, { type: what, expectedVersion, release: [null, 26, 27][b % 3] ?? null, classes, by: 'ops', reason: 'test' })
        break
      }
      case 'liveness':
        propose(what, { type: what, host, node: host, state: (['UP', 'UP', 'SUSPECT', 'DOWN'] as const)[c % 4] as Liveness, reason: '' })
        break
      case 'group': {
        const { uuid } = groupAt(b)
        const { policy, maxServerPerHost } = groupAt(c)
        const version = replica.fleet.groups.find(uuid)?.version ?? 1
        this.#ask(process, `edit of ${uuid}`, process.groups.update(uuid, version, { policy, maxServerPerHost }, c % 5 === 0), () => {})
        break
      }
      case 'abandon': {
        const call = this.#calls[b % Math.max(1, this.#calls.length)]
        if (call === undefined) break
        this.#ask(process, `abandon ${call.key}`, process.claims.abandon(call.account, call.key), ({ type }) => {
          if (type === 'done') this.#abandoned.add(call.key)
        })
        break
      }
      case 'look': {
        // who was told of a revision reads it anywhere
        const head = replica.fleet.place.revision
        const other = this.#processes[c % this.#plan.replicas]
        if (other === undefined) break
        this.#ask(other, `look at ${head}`, other.replica.reached(head, 2_000), (reached) => {
          if (reached && other.replica.fleet.place.revision < head) this.#fail(`I9: replica ${other.number} says it reached ${head}`)
        })
        break
      }
      default:
        if (claim !== undefined && recent !== undefined)
          this.#callAbout(process, what, what === 'move' || what === 'settle' ? recent : claim, b, c)
    }
  }

  #callAbout(process: Process, what: Act['what'], claim: KnownClaim, b: number, c: number): void {
    const { claims, groups } = process
    const { id } = claim
    const wasReleased = this.#released.has(id)
    switch (what) {
      case 'move': {
        const isResize = c % 3 === 0
        const request = isResize
          ? requestOf({ vcpus: 1 + (c % 5), memoryMb: 1_024, numInstances: 1 })
          : { ...claim.request, numInstances: 1 }
        const key = `m${this.#ids++}`
        const call: PlacementCall = {
          ...this.#newCall(b, c),
          key,
          digest: key,
          request,
          intent: isResize ? 'RESIZE' : 'LIVE_MIGRATE',
          source: { claim: id, fence: claim.fence },
        }
        this.#calls.push(call)
        this.#place(process, call)
        break
      }
      case 'settle':
      case 'confirm':
        if (what === 'settle' && c % 3 === 0) this.#release(process, claim)
        else
          this.#ask(process, `confirm ${id}`, claims.confirm([claim]), ([outcome]) => {
            if (outcome?.type === 'done' && wasReleased) this.#fail(`claim ${id} was released, then confirmed`)
          })
        break
      case 'extend':
        this.#ask(process, `extend ${id}`, claims.extend([claim], 1_000 + c * 20), () => {})
        break
      case 'release':
        this.#release(process, claim)
        break
      case 'revoke':
        this.#ask(process, `revoke ${id}`, claims.revoke([id], 'simulated'), ([outcome]) => {
          if (outcome?.type === 'done') this.#released.add(id)
        })
        break
      case 'membership':
        this.#ask(process, `membership of ${id}`, groups.setMembership([claim], c % 3 === 0 ? null : groupAt(c), false), () => {})
        break
      default:
        throw new Error(`${what} is no call about a claim`)
    }
  }

  /** An operator's edit of what their replica shows them: members, zone or name, or the end of an aggregate. */
  #aggregate(fleet: Fleet, b: number, c: number): Change {
    const number = b % 3
    const uuid = uuidOf(0x71 + number)
    const version = fleet.aggregates.byUuid.get(uuid)?.version ?? 0
    return {
      type: 'aggregate',
      uuid,
      expectedVersion: version,
      next:
        version > 0 && c % 4 === 0
          ? null
          : {
              name: c % 10 === 1 ? 'everywhere' : `part ${number}`,
              metadata: {
                ...(c % 3 === 0 && { availability_zone: `z${b % 2}` }),
                ...(c % 5 === 1 && { cpu_allocation_ratio: b % 7 === 3 ? 'many' : String(1 + (b % 4) / 2) }),
              },
              hosts: NAMES.filter((_, i) => (c >> i) % 2 === 0),
            },
    }
  }

  #release(process: Process, claim: KnownClaim): void {
    this.#ask(process, `release ${claim.id}`, process.claims.release([claim], null), ([outcome]) => {
      if (outcome?.type === 'done') this.#released.add(claim.id)
    })
  }

  #newCall(b: number, c: number): PlacementCall {
    const numInstances = 1 + (b % 5 === 0 ? 1 + (c % 2) : 0)
    const group = c % 3 === 0 ? GROUPS[b % GROUPS.length] : undefined
    const bound = group && (this.#model.group(group.uuid) ?? { policy: group.policy, max: group.maxServerPerHost })
    // now and then members of one group are not to be where those of the next one are
    const isApart = group !== undefined && b % 7 === 3 && this.#model.level >= GROUPS_APART
    const apartFrom = isApart ? [(GROUPS[(b + 1) % GROUPS.length] as (typeof GROUPS)[number]).uuid] : []
    const key = `k${this.#ids++}`
    // a caller that lost its key asks for the same instance under another one; or its host failed, and it takes the next
    const known = this.#known[this.#known.length - 1 - (c % Math.max(1, Math.min(9, this.#known.length)))]?.instance
    // or it asks two replicas at once
    const latest = this.#calls.at(-1)?.request.instanceUuids[0]
    const again = numInstances > 1 ? undefined : b % 4 === 1 ? known : b % 8 === 7 ? latest : undefined
    const call: PlacementCall = {
      account: `a${b % 2}`,
      key,
      digest: key,
      request: requestOf({
        vcpus: 1 + (c % 3),
        memoryMb: 1_024,
        numInstances,
        ...(b % 3 === 1 && { gpus: { count: 1 } }),
        instanceUuids: Array.from({ length: numInstances }, () => again ?? uuidOf(0x2_0000 + this.#ids++)),
        projectId: [null, null, 'p1'][b % 3] ?? null,
        ...(group &&
          bound && { instanceGroup: { uuid: group.uuid, policy: bound.policy as 'AFFINITY', maxServerPerHost: bound.max, apartFrom } }),
      }),
      intent: 'CREATE',
      source: null,
      takesAlternate: again !== undefined && c % 2 === 0,
      profile: DEFAULT_PROFILE,
      mode: c % 4 === 0 ? 'CONFIRM' : 'RESERVE',
      ttlMs: 1_000 + (b % 40) * 1_000,
      deadlineMs: 2_000 + (c % 8) * 1_000,
      alternatesPerInstance: 1,
      allOrNothing: true,
    }
    this.#calls.push(call)
    return call
  }

  #place(process: Process, call: PlacementCall): void {
    const head = this.#store.log.length
    const wasAbandoned = this.#abandoned.has(call.key)
    this.#ask(process, `place ${call.key}`, process.replica.place(call), (outcome) => this.#placed(call, outcome, head, wasAbandoned))
  }

  #placed(call: PlacementCall, outcome: PlacementOutcome, head: number, wasAbandoned: boolean): void {
    if (outcome.type === 'refused') {
      this.#counts.refused++
      // a refusal stands on a state at least as new as the store's head when the call came in
      if (outcome.revision < head) this.#fail(`I9: ${call.key} was refused at revision ${outcome.revision}; the log was at ${head} already`)
      if (this.#answers.has(call.key)) this.#fail(`I4: ${call.key} was placed, and is refused now`)
    }
    if (outcome.type !== 'placed') return
    this.#counts.placed++
    if (wasAbandoned && !outcome.replayed) this.#fail(`${call.key} was abandoned, then placed`)
    const claims = outcome.answer.map(({ selected, instance }, i) => ({ claim: outcome.claims[i], host: selected.host, instance }))
    const answer = JSON.stringify(claims.map(({ host, instance }) => [host, instance]))
    const earlier = this.#answers.get(call.key)
    if (earlier !== undefined && earlier !== answer) this.#fail(`I4: ${call.key} was answered ${earlier}, and now ${answer}`)
    this.#answers.set(call.key, answer)
    if (claims.length !== call.request.numInstances)
      this.#fail(`I5: ${call.key} has ${claims.length} of ${call.request.numInstances} instances`)
    for (const { claim, host, instance } of claims) {
      if (claim === undefined) continue
      const there = this.#model.claim(claim.id)
      if (there === undefined) this.#fail(`I3: claim ${claim.id} of ${call.key} was answered, and is not in the log`)
      if (there !== undefined && there.fence !== claim.fence)
        this.#fail(`claim ${claim.id} has fence ${there.fence}, ${claim.fence} was answered`)
      if (!this.#known.some(({ id }) => id === claim.id) && isLive(claim))
        this.#known.push({ id: claim.id, fence: claim.fence, host, instance, request: call.request })
    }
  }

  /**
   * A host says what runs on it: what was claimed there and is not over, as far as it pleases, and now and then what was
   * claimed elsewhere; on GPUs of its own choice; sometimes with too little in use, or without any list. Late and repeated reports too.
   */
  #report(host: string, b: number): void {
    const process = this.#processes[b % this.#plan.replicas] ?? this.#processes.find((one) => one !== undefined)
    if (process === undefined) return
    const sequence = (this.#sequences.get(host) ?? 0) + (b % 7 === 1 ? 0 : 1)
    this.#sequences.set(host, sequence)
    const running = this.#model.claims.filter(
      (claim) => claim.host === host && claim.instance !== null && isLiveInModel(claim) && (b >> (claim.fence % 5)) % 2 === 0,
    )
    const stray = b % 17 === 6 ? this.#model.claims.find((claim) => claim.host !== host && isLiveInModel(claim)) : undefined
    const isSilent = b % 13 === 4
    const vcpusUsed = isSilent ? 0 : running.reduce((sum, { amounts }) => sum + (amounts.VCPU ?? 0), 0)
    const busy = isSilent ? 0 : running.reduce((sum, { gpus }) => sum + gpus.length, 0)
    const gpus = [0, 1, 2].map((index) => ({ index, usedMilli: (index + b) % 3 < busy ? 1_000 : 0 }))
    const full = {
      // now and then so few that one instance may ask for more than there is, given away twice
      ...(b % 6 === 2 ? { vcpus: 4, cpuAllocationRatio: 2 } : { vcpus: 6 + (b % 5 === 0 ? 2 : 0) }),
      vcpusUsed,
      memoryMb: 16_384,
      memoryMbUsed: running.length * 1_024,
      localGb: 1_000,
      localGbUsed: 0,
      runningVms: running.length,
      gpus,
      // two hosts report as Nova does, one of them mostly without a ratio
      ...(NAMES.indexOf(host) < 2 && { version: '1.3', nova: novaOf(NAMES.indexOf(host) === 0 && b % 4 > 0 ? 0 : 1 + (b % 2)) }),
      // now and then a machine reports that is another host already
      ...(b % 4 !== 3 && { machineId: uuidOf(0x81 + (b % 23 === 8 ? 0 : NAMES.indexOf(host))) }),
      instances: b % 11 === 3 ? null : [...new Set([...running, ...(stray ? [stray] : [])].flatMap(({ instance }) => instance ?? []))],
    }
    const incarnation = uuidOf((b % 29 === 5 ? 0x92 : 0x91) + 0x100 * NAMES.indexOf(host))
    this.#ask(
      process,
      `report of ${host}`,
      process.stats.update([{ name: { host }, incarnation, sequence, full }]),
      ({ results: [result] }) => {
        const hasLeft = result?.type === 'invalid' && result.issues.every(({ code }) => code.startsWith('report.host_'))
        if (result?.type === 'invalid' && !hasLeft) this.#fail(`a report of ${host} is refused: ${result.message}`)
        if (result?.type === 'applied' && !result.unchanged && !this.#model.reported.has(host))
          this.#fail(`I3: a report of ${host} was taken, and is not in the log`)
      },
    )
  }
}

/** What a report keeps of a document of Nova's. */
const novaOf = (ratio: number) => ({
  computeNode: { cpu_allocation_ratio: ratio, ram_allocation_ratio: 0, disk_allocation_ratio: 1 },
  ...{ service: null, cellUuid: null, flavors: {}, images: {} },
})

function requestOf({
  vcpus,
  memoryMb,
  ...rest
}: { vcpus: number; memoryMb: number; numInstances: number } & Record<string, unknown>): RequestSpec {
  const parsed = parseRequestSpec({ flavor: { vcpus, memoryMb }, ...rest })
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  return parsed.value
}

function uuidOf(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`
}

/** Where two texts part, for people. */
function difference(is: string, expected: string): string {
  let place = 0
  while (place < is.length && is[place] === expected[place]) place++
  const from = Math.max(0, place - 60)
  return `it has ...${is.slice(from, place + 100)}...; the model ...${expected.slice(from, place + 100)}...`
}
