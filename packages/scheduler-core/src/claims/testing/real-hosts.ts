import { audit } from '../../audit/audit.ts'
import { checkpointOf, restoreFleet } from '../../fleet/checkpoint.ts'
import { Fleet } from '../../fleet/fleet.ts'
import { allKinds } from '../../kinds/index.ts'
import { poolsOf } from '../../kinds/pci/pool.ts'
import { type Change, ENTRY_FORMAT, FEATURE_LEVEL, type Grants, type LogEntry } from '../../records/change.ts'
import { type Claim, isLive } from '../../records/claim.ts'
import { aClaim, aMove, aReport, aRequest, aUuid, type HostShape } from '../../testing/index.ts'
import { amountsOf, measure, type Sort, sorts, TOTALS } from './real-amounts.ts'

/** The next action of a random history. Its numbers choose among the existing hosts and claims, so every action is valid in every state. */
export interface RealAction {
  readonly what: (typeof realActions)[number]
  readonly a: number
  readonly b: number
  readonly c: number
}

export const realActions = [
  ...(['place', 'place', 'place', 'resize', 'resize', 'resize', 'move', 'confirm', 'confirm', 'revert'] as const),
  ...(['end', 'end', 'report', 'delta', 'usedFrom', 'expire', 'leave', 'alias', 'replace', 'restart'] as const),
]

/** The behaviour of the hosts in a history. */
export interface RealSetting {
  /** The amount of each sort of resource that a host uses for itself or for instances without claims. */
  readonly strangers: number
  /** How often reports list instances: always, never, or in some reports. */
  readonly lists: 'always' | 'never' | 'mixed'
}

const MACHINES = ['m1', 'm2']

/** The real state of a machine, independent of the log. */
interface Machine {
  name: string
  readonly running: Map<string, Grants>
  /** The instances whose use the last report included. An instance that starts again and is not listed is removed. */
  shown: Set<string>
  sequence: number
  /** A second name under which the machine reports, until a replace change makes it the present name. Null if there is none. */
  alias: string | null
}

/**
 * Simulated hosts and their log. The hosts follow these rules. An instance has its new size from the confirmation of its resize. An
 * instance whose use a report included continues to run after its claim ended, and stops when the host makes a later report. Any other
 * instance is stopped before its claim ends. The used amounts in reports include all running instances.
 */
export class RealHosts {
  fleet = new Fleet()
  readonly #machines: readonly Machine[] = MACHINES.map((name) => ({
    name,
    running: new Map(),
    shown: new Set(),
    sequence: 0,
    alias: null,
  }))
  readonly #setting: RealSetting
  #made = 0
  #at = 1_000

  constructor(setting: RealSetting, level = FEATURE_LEVEL) {
    this.#setting = setting
    this.#append({ type: 'feature', level })
    for (const machine of this.#machines) this.#report(machine, 1)
  }

  /** The violations that the auditor finds in the fleet. */
  audited(): string[] {
    return [...audit(this.fleet)].flatMap(({ findings }) => findings).map((finding) => JSON.stringify(finding))
  }

  /** A sentence for each machine and sort of resource whose used and free amounts together exceed the total. */
  promisedTwice(): string[] {
    const found: string[] = []
    for (const machine of this.#machines) {
      const used = this.#used(machine)
      const free = this.#free(machine)
      for (const sort of sorts)
        if (free !== undefined && used[sort] + Math.max(0, free[sort]) > TOTALS[sort])
          found.push(`${machine.name} uses ${used[sort]} of ${TOTALS[sort]} ${sort}, and ${free[sort]} are said to be free`)
    }
    return found
  }

  do(action: RealAction): void {
    this.#at += 1_000
    const { what, a, b, c } = action
    const machine = this.#machines[a % this.#machines.length] as Machine
    const live = [...this.fleet.ledger.claims.values()].filter(isLive)
    const claim = live[b % Math.max(1, live.length)]
    switch (what) {
      case 'place':
        this.#place(machine, b, c)
        break
      case 'resize':
      case 'move':
        if (claim !== undefined) this.#move(claim, what === 'resize' ? this.#machineOf(claim) : machine, b, c)
        break
      case 'confirm':
        this.#confirm(this.#destination(a))
        break
      case 'revert':
        this.#end(this.#destination(a), 0)
        break
      case 'end':
        this.#end(claim, c)
        break
      case 'expire':
        this.#at += 60_000
        for (const { id, state } of live) if (state === 'RESERVED') this.#append({ type: 'expire', claim: id })
        break
      case 'report':
        this.#report(machine, c)
        break
      case 'delta':
        this.#delta(machine, b, c)
        break
      case 'usedFrom':
        this.#usedFrom(machine, b)
        break
      case 'leave':
        this.#leave(machine)
        break
      case 'alias':
        this.#alias(machine)
        break
      case 'replace':
        this.#replace(machine)
        break
      case 'restart':
        this.fleet = restoreFleet(JSON.parse(JSON.stringify(checkpointOf(this.fleet))))
    }
  }

  #append(change: Change): boolean {
    const { place } = this.fleet
    const revision = place.revision + 1
    const entry: LogEntry = {
      format: ENTRY_FORMAT,
      id: `e${revision}`,
      writer: 'test',
      basis: place,
      changes: [change],
      revision,
      at: this.#at,
    }
    return this.fleet.apply(entry)[0] === undefined
  }

  #machineOf({ host }: Claim): Machine | undefined {
    const { host: name } = this.fleet.hosts.get(host)
    return this.#machines.find((machine) => machine.name === name)
  }

  #destination(number: number): Claim | undefined {
    const open = [...this.fleet.ledger.claims.values()].filter((claim) => isLive(claim) && claim.source !== null)
    return open[number % Math.max(1, open.length)]
  }

  /** The grants that a random request would get on the host at present. `held` are the grants that the instance has on the host. */
  #grants(machine: Machine, b: number, c: number, held?: Grants): Grants | undefined {
    const record = this.fleet.hosts.find({ host: machine.name, node: machine.name })
    if (record === undefined) return undefined
    const request = aRequest({
      flavor: {
        ...{ vcpus: 1 + (b % 5), memoryMb: 1 + (c % 7), rootGb: (b + c) % 3 },
        ...(b % 4 === 1 && { extraSpecs: { 'resources:CUSTOM_X': String(1 + (c % 5)) } }),
      },
      ...(b % 3 === 0 && { gpus: { count: 1 + (c % 2) } }),
      ...(c % 5 === 1 && { pciRequests: [{ count: 1 + (b % 2), specs: [{ vendor_id: 'v' }] }] }),
      ...(c % 4 === 2 && {
        numaTopology: {
          cells: [{ id: 0, cpus: Array.from({ length: 1 + (b % 5) }, (_, i) => i), memoryMb: 1 + (c % 7), cpuPolicy: 'dedicated' }],
        },
      }),
    })
    const grants: Record<string, unknown> = {}
    for (const kind of allKinds) {
      const ask = kind.ask(request)
      const keeps = held !== undefined && c % 3 > 0 && kind.isPlain !== true
      if (keeps && held[kind.name] !== undefined && c % 3 === 1) grants[kind.name] = held[kind.name]
      if (ask === undefined || keeps) continue
      const grant = kind.createAssign({ rule: kind.rules[0] as string, options: {} })(this.fleet.hosts, record.index, ask, grants)
      if (grant === undefined && kind.isPlain === true) grants[kind.name] = kind.name === 'classes' ? amountsOf(ask) : {}
      else if (grant === undefined) return undefined
      else grants[kind.name] = grant
    }
    return grants as Grants
  }

  #place(machine: Machine, b: number, c: number): void {
    const grants = this.#grants(machine, b, c)
    if (grants === undefined) return
    const key = `k${++this.#made}`
    const ended = [...machine.running.keys()].filter((instance) => !this.#isClaimed(instance) && !instance.startsWith('anonymous'))
    const instance = b % 11 === 5 ? null : c % 4 === 3 && ended.length > 0 ? (ended[0] as string) : aUuid(this.#made)
    const mode = c % 6 === 5 ? 'RESERVE' : 'CONFIRM'
    if (!this.#append(aClaim({ key, mode, grants, hosts: [machine.name], instances: [instance] }))) return
    if (mode === 'CONFIRM') this.#start(machine, instance ?? nameless(`${key}.0`), grants)
  }

  /** Starts an instance with a claim on this machine. An instance that is already listed there continues with another size. */
  #start(machine: Machine, instance: string, grants: Grants): void {
    machine.running.set(instance, grants)
    const { name } = machine
    const listed = this.fleet.hosts.find({ host: name, node: name })?.stats.instances
    if (listed?.includes(instance) !== true) machine.shown.delete(instance)
  }

  #isClaimed(instance: string): boolean {
    return this.fleet.ledger.claimsFor(instance).length > 0
  }

  #move(claim: Claim, to: Machine | undefined, b: number, c: number): void {
    const isHome = to !== undefined && to === this.#machineOf(claim)
    // hosts cannot report an instance without an id, so it only moves within its host
    if (to === undefined || (claim.instance === null && !isHome)) return
    const grants = this.#grants(to, b >> 2, c, isHome ? claim.grants : undefined)
    if (grants === undefined) return
    const key = `k${++this.#made}`
    const { id, fence, instance } = claim
    const mode = b % 4 === 3 ? 'RESERVE' : 'CONFIRM'
    const move = aMove({ key, mode, grants, hosts: [to.name], instances: [instance], source: { claim: id, fence }, intent: 'RESIZE' })
    if (this.#append(move) && c % 3 < 2) this.#confirm(this.fleet.ledger.claims.get(`${key}.0`))
  }

  #confirm(destination: Claim | undefined): void {
    if (destination === undefined) return
    const { id, fence, source, grants, instance } = destination
    const machine = this.#machineOf(destination)
    const name = instance ?? this.#namelessOf(machine, source)
    const left = source === null ? undefined : this.fleet.ledger.claims.get(source)
    const from = left && this.#machineOf(left)
    const hasRun = from === machine && left?.state !== 'RESERVED'
    if (!this.#append({ type: 'confirm', claim: id, fence }) || machine === undefined) return
    if (hasRun) machine.running.set(name, grants)
    else this.#start(machine, name, grants)
    if (from !== machine && from?.shown.has(name) === false) from.running.delete(name)
    if (instance === null) this.#renamed(machine, name, nameless(id))
  }

  #namelessOf(machine: Machine | undefined, source: string | null): string {
    return machine?.running.has(nameless(source ?? '')) ? nameless(source ?? '') : nameless('')
  }

  #renamed(machine: Machine, from: string, to: string): void {
    const grants = machine.running.get(from)
    machine.running.delete(from)
    if (grants !== undefined) machine.running.set(to, grants)
    if (machine.shown.has(from)) machine.shown.add(to)
  }

  /** Ends a claim. An instance whose use a report included runs on. Any other instance is stopped before the claim ends. */
  #end(claim: Claim | undefined, c: number): void {
    if (claim === undefined) return
    const { id, fence, account, key, instance, source } = claim
    const machine = this.#machineOf(claim)
    const change: Change =
      c % 3 === 0
        ? { type: 'release', claim: id, fence, reason: null }
        : c % 3 === 1
          ? { type: 'revoke', claim: id, reason: 'test' }
          : { type: 'abandon', account, key }
    if (!this.#append(change) || machine === undefined || source !== null) return
    const name = instance ?? nameless(id)
    if (!machine.shown.has(name) || (instance === null && this.#countsClaims(machine))) machine.running.delete(name)
  }

  /** Returns true if the host's usage is read from claims. On such a host, an instance without an id is stopped before its claim ends. */
  #countsClaims({ name }: Machine): boolean {
    return this.fleet.hosts.find({ host: name, node: name })?.usedFrom === 'CLAIMS'
  }

  #used({ running }: Machine): Record<Sort, number> {
    const all = [...running.values()].map(measure)
    const used = sorts.map((sort) => [sort, this.#setting.strangers + all.reduce((sum, one) => sum + one[sort], 0)] as const)
    return Object.fromEntries(used) as Record<Sort, number>
  }

  #free(machine: Machine): Record<Sort, number> | undefined {
    const { hosts } = this.fleet
    const record = hosts.find({ host: machine.name, node: machine.name })
    if (record === undefined) return undefined
    const left = (name: string): number => hosts.classes.get(name)?.free[record.index] ?? 0
    const [cell] = record.cells
    return {
      ...{ VCPU: left('VCPU'), MEMORY_MB: left('MEMORY_MB'), DISK_GB: left('DISK_GB'), CUSTOM_X: left('CUSTOM_X') },
      GPU: record.gpus.reduce((sum, { freeMilli }) => sum + Math.max(0, freeMilli), 0) / 1_000,
      PCI: poolsOf(record).list.reduce((sum, { free }) => sum + Math.max(0, free), 0),
      ...{ PINNED: cell?.freeCpus.free ?? 0, CELL_MEMORY: cell?.memoryFree ?? 0 },
    }
  }

  #shape(machine: Machine, instances: string[] | null): HostShape {
    const used = this.#used(machine)
    return {
      ...{ vcpus: TOTALS.VCPU, vcpusUsed: used.VCPU, memoryMb: TOTALS.MEMORY_MB, memoryMbUsed: used.MEMORY_MB },
      ...{ localGb: TOTALS.DISK_GB, localGbUsed: used.DISK_GB, runningVms: machine.running.size, instances },
      inventories: [{ resourceClass: 'CUSTOM_X', total: TOTALS.CUSTOM_X, used: used.CUSTOM_X }],
      gpus: Array.from({ length: TOTALS.GPU }, (_, index) => ({ index, usedMilli: index < used.GPU ? 1_000 : 0 })),
      pciPools: [{ vendorId: 'v', productId: 'p', tags: {}, numaNode: null, total: TOTALS.PCI, used: used.PCI }],
      numaCells: [
        {
          ...{ id: 0, cpuset: Array.from({ length: TOTALS.PINNED }, (_, cpu) => cpu), memoryMb: TOTALS.CELL_MEMORY },
          ...{ cpuUsage: 0, memoryUsageMb: used.CELL_MEMORY, pages: [] },
          pinnedCpus: Array.from({ length: used.PINNED }, (_, cpu) => TOTALS.PINNED - 1 - cpu).filter((cpu) => cpu >= 0),
        },
      ],
    }
  }

  /** Stops some of the instances without a claim. `c` determines which instances. */
  #stopSome(machine: Machine, c: number): void {
    const claimed = new Set(
      [...this.fleet.ledger.claims.values()]
        .filter((claim) => isLive(claim) && this.#machineOf(claim) === machine)
        .map(({ id, instance }) => instance ?? nameless(id)),
    )
    for (const [i, name] of [...machine.running.keys()].entries())
      if (!claimed.has(name) && ((c >> (i % 3)) % 2 === 1 || name.startsWith('anonymous'))) machine.running.delete(name)
  }

  #report(machine: Machine, c: number): void {
    if (machine.alias !== null) return
    this.#stopSome(machine, c)
    const { lists } = this.#setting
    const listed = lists === 'always' || (lists === 'mixed' && c % 4 > 0)
    const names = [...machine.running.keys()].filter((name) => !name.startsWith('anonymous'))
    const { name } = machine
    if (this.#append(aReport(name, this.#shape(machine, listed ? names : null), ++machine.sequence)))
      machine.shown = new Set(machine.running.keys())
  }

  #delta(machine: Machine, b: number, c: number): void {
    const record = this.fleet.hosts.find({ host: machine.name, node: machine.name })
    if (record === undefined || machine.alias !== null) return
    const used = this.#used(machine)
    const known = record.stats.instances
    const added = [...machine.running.keys()].filter((name) => !name.startsWith('anonymous') && known?.includes(name) === false)
    const delta = {
      baseSequence: machine.sequence,
      ...(b % 2 === 0 && { vcpusUsed: used.VCPU }),
      ...(b % 4 < 2 && { memoryMbUsed: used.MEMORY_MB }),
      ...(b % 3 === 0 && { localGbUsed: used.DISK_GB }),
      numIoOps: c,
      ...(c % 2 === 0 && added.length > 0 && { addInstances: added }),
    }
    const { name } = machine
    const report = { type: 'report', host: name, node: name, incarnation: aUuid(1), sequence: machine.sequence + 1, delta } as const
    if (!this.#append(report)) return
    machine.sequence++
    if (delta.addInstances !== undefined) machine.shown = new Set([...machine.shown, ...added])
  }

  /** Sets where the host's usage is read from. Does nothing unless each running instance has a live or ended claim of at least its size. */
  #usedFrom(machine: Machine, b: number): void {
    const { strangers, lists } = this.#setting
    const { name: host } = machine
    const claims = [...(this.fleet.hosts.find({ host, node: host })?.claims ?? [])].filter(
      (claim) => claim.instance !== null || isLive(claim),
    )
    const isHeld = ([name, grants]: [string, Grants]): boolean => {
      const sizes = claims.filter(({ id, instance }) => name === (instance ?? nameless(id))).map((claim) => measure(claim.grants))
      const size = measure(grants)
      return sizes.some((held) => sorts.every((sort) => held[sort] >= size[sort]))
    }
    if (strangers > 0 || lists !== 'always' || ![...machine.running].every(isHeld)) return
    this.#append({ type: 'usedFrom', host, node: host, usedFrom: b % 2 === 0 ? 'CLAIMS' : 'REPORT', reason: 'test' })
  }

  #leave(machine: Machine): void {
    const { name } = machine
    const named = { host: name, node: name }
    if (machine.alias !== null || !this.#append({ type: 'forget', hosts: [named], isForced: true, reason: 'test' })) return
    this.#append({ type: 'readmit', ...named, reason: 'test' })
    this.#report(machine, 0)
  }

  /** The machine restarts under another name and reports its running instances. It no longer reports under the old name. */
  #alias(machine: Machine): void {
    if (machine.alias !== null) return
    const alias = `m${++this.#made}x`
    const names = [...machine.running.keys()].filter((name) => !name.startsWith('anonymous'))
    if (this.#append(aReport(alias, this.#shape(machine, this.#setting.lists === 'never' ? null : names), 1))) machine.alias = alias
    // the host is disabled, so no instance is placed on it until the machine's name is replaced
    this.#append({ type: 'status', host: alias, node: alias, status: 'DISABLED', reason: 'test' })
  }

  #replace(machine: Machine): void {
    const { alias, name } = machine
    if (alias === null) return
    if (!this.#append({ type: 'replace', hosts: [{ from: { host: name, node: name }, to: { host: alias, node: alias } }], reason: 'test' }))
      return
    Object.assign(machine, { name: alias, alias: null, sequence: 1 })
  }
}

const nameless = (claim: string): string => `anonymous ${claim}`
