/**
 * The fleet as the rules say it is, in slow and obvious lines: nothing is cached, every sum is added up anew, and not one
 * line is shared with the core, which must say the same of every log. Covers what the simulator does: countable classes
 * and whole GPUs, no cells, no other devices.
 */

/** Entries as the store hands them out; read as plain data, so that no type of the core stands in between. */
export interface ModelEntry {
  readonly id: string
  readonly revision: number
  readonly at: number
  readonly basis: { readonly revision: number; readonly id: string; readonly at: number }
  readonly changes: readonly ModelChange[]
}

// biome-ignore lint/suspicious/noExplicitAny: the model reads the log as the JSON that it is
export type ModelChange = Readonly<Record<string, any>>

export interface ModelHost {
  name: string
  /** Class by class: what there is, what may be given, and what is used as reported. */
  classes: Record<string, { total: number; capacity: number; used: number }>
  /** GPUs by index, and those of them that the report shows in use. */
  gpus: number[]
  gpusUsed: number[]
  /** An operator said that its used amounts come from claims. */
  fromClaims: boolean
  present: string[]
  /** Its last report had no list of instances. */
  listsNothing: boolean
  incarnation: string
  pastIncarnations: string[]
  sequence: number
  status: string
  liveness: string
  /** Revision of the last edit. */
  edited: number
  /** Its last report; null before the first, and of one that left. */
  full: ModelChange | null
  /** Not there any more: forgotten, let in again with its next report, or part of another host since that was renamed. */
  gone: 'forgotten' | 'readmitted' | 'merged' | null
  /** What it was called before, and may not be used by others. */
  former: string[]
}

export interface ModelClaim {
  id: string
  account: string
  /** Within which its instance has one live claim; null: within `within`, the account that it was first made by. */
  project: string | null
  within: string
  key: string
  instance: string | null
  host: string
  amounts: Record<string, number>
  /** GPUs that the claim names. */
  gpus: number[]
  group: string | null
  fence: number
  state: string
  expiresAt: number | null
  /** The other ends of an open move. */
  source: string | null
  target: string | null
  /** What it holds beside the report's figures. */
  extra: Record<string, number> | null
  /** It ended while its host listed the instance, and the host has listed it ever since. */
  lingers: boolean
}

export interface ModelKey {
  account: string
  key: string
  claims: string[]
  /** Null while one of its claims lives. */
  forgottenAt: number | null
}

export interface ModelGroup {
  uuid: string
  policy: string
  max: number | null
  version: number
  edited: number
}

export interface ModelAggregate {
  uuid: string
  name: string
  zone: string | null
  hosts: string[]
  version: number
}

const NOTHING = { total: 0, capacity: 0, used: 0 }
/** The feature level from which on no instance gets more than there is, and what makes an excess no worse is allowed. */
const OWN_LIMITS = 8
const KEY_AFTERLIFE = 3_600_000
const WINDOW = 1_024
const FENCES = 65_536

/** What a claim, or a part of it, takes of a host. */
interface Holding {
  amounts: Record<string, number>
  gpus: number[]
}

const gpusOf = ({ grants }: ModelChange): number[] => (grants.gpu ?? []).map(({ index }: { index: number }) => index)
/** The level from which an instance has one live claim. */
const ONE_CLAIM = 8

const isLiveState = (state: string): boolean => ['RESERVED', 'CONFIRMED', 'MATERIALISED'].includes(state)

export class ReferenceModel {
  revision = 0
  now = 0
  /** Feature level of the log. */
  level = 1
  /** How long a key outlives its last claim, milliseconds. */
  afterlife = KEY_AFTERLIFE
  hosts: ModelHost[] = []
  /** Names under which reports counted, whatever became of the hosts. */
  reported = new Set<string>()
  claims: ModelClaim[] = []
  keys: ModelKey[] = []
  groups: ModelGroup[] = []
  aggregates: ModelAggregate[] = []
  /** Id and stamp at each revision, from 0 on. */
  places: { id: string; at: number }[] = [{ id: '', at: 0 }]

  /** Judges the next entry; answers per change undefined when it counts, or why it does not. */
  apply(entry: ModelEntry): (string | undefined)[] {
    const repeated = this.#recentIds().includes(entry.id)
    const at = this.places[entry.basis.revision]
    const inWindow = entry.basis.revision > this.revision - WINDOW
    const known = inWindow && at !== undefined && at.id === entry.basis.id && at.at === entry.basis.at
    this.revision++
    this.places.push({ id: entry.id, at: entry.at })
    this.now = Math.max(this.now, entry.at)
    if (!repeated && known)
      for (const change of entry.changes) if (change.type === 'feature') this.level = Math.max(this.level, change.level)
    if (this.level >= 9) for (const host of this.hosts) if (host.listsNothing) this.#letGo(host)
    let fence = this.revision * FENCES
    const verdicts = entry.changes.map((change) => {
      if (repeated) return 'entry.repeated'
      if (!known) return 'entry.basis'
      const verdict = this.#judge(change, entry.basis.revision, fence)
      if (['claims', 'move', 'instances', 'attempt'].includes(change.type)) fence += change.parts.length
      return verdict
    })
    this.keys = this.keys.filter(({ forgottenAt }) => forgottenAt === null || forgottenAt > this.now)
    this.#forgetUnused()
    return verdicts
  }

  /** Ended claims that neither an instance nor a key keeps are gone: with the entry that ends the key, or the report that drops the instance. */
  #forgetUnused(): void {
    this.claims = this.claims.filter(
      (claim) => isLiveState(claim.state) || claim.lingers || this.keys.some(({ claims }) => claims.includes(claim.id)),
    )
  }

  #recentIds(): string[] {
    return this.places.slice(Math.max(0, this.places.length - WINDOW)).map(({ id }) => id)
  }

  host(name: string): ModelHost | undefined {
    return this.hosts.find((host) => host.name === name && host.gone === null)
  }

  #forgotten(name: string): ModelHost | undefined {
    return this.hosts.find((host) => host.name === name && (host.gone === 'forgotten' || host.gone === 'readmitted'))
  }

  #renamed(name: string): ModelHost | undefined {
    return this.hosts.find(({ former }) => former.includes(name))
  }

  claim(id: string): ModelClaim | undefined {
    return this.claims.find((claim) => claim.id === id)
  }

  group(uuid: string | null): ModelGroup | undefined {
    return this.groups.find((group) => group.uuid === uuid)
  }

  isLive(claim: ModelClaim | undefined): claim is ModelClaim {
    return claim !== undefined && isLiveState(claim.state)
  }

  /** Live members of a group: a claim that grows on its own host is its source's until the move ends. */
  members(uuid: string): ModelClaim[] {
    return this.claims.filter((claim) => this.isLive(claim) && claim.group === uuid && !this.#growsInPlace(claim))
  }

  /**
   * What is free of a class on a host: capacity, less what is in use, less what claims hold that no report shows. In use is
   * what the report says, or what the claims of the listed instances hold, whichever is more.
   */
  free(host: ModelHost, resourceClass: string, without: ModelClaim[] = [], lingering: ModelClaim[] = []): number {
    if (host.gone !== null) return 0
    const { capacity, used } = host.classes[resourceClass] ?? NOTHING
    const { shown, beside } = this.#held(host, without, lingering)
    const sum = (all: Record<string, number>[]) => all.reduce((total, amounts) => total + (amounts[resourceClass] ?? 0), 0)
    const reported = host.fromClaims ? 0 : used
    const inUse = this.level < 8 ? reported : Math.max(reported, sum(shown.map(({ amounts }) => amounts)))
    return capacity - inUse - sum(beside.map(({ amounts }) => amounts))
  }

  /** GPUs of a host that nobody has: a claim of one that is in use otherwise has the first that is left. */
  gpusLeft(host: ModelHost, without: ModelClaim[] = [], lingering: ModelClaim[] = []): number[] {
    if (host.gone !== null) return []
    const { shown, beside } = this.#held(host, without, lingering)
    const used = host.fromClaims ? [] : host.gpusUsed
    let left = host.gpus.filter((gpu) => !used.includes(gpu))
    const take = (gpus: number[]): void => {
      left = left.filter((gpu) => !gpus.includes(gpu))
    }
    const named = beside.flatMap(({ gpus }) => gpus)
    if (this.level < 8) {
      take(named)
      return left
    }
    const theirs = shown.flatMap(({ gpus }) => gpus)
    // the host shows fewer GPUs in use than the claims of its instances hold: those that they name, then any
    const hidden = Math.max(0, theirs.length - used.length)
    const found = left.filter((gpu) => theirs.includes(gpu)).slice(0, hidden)
    take(found)
    take(left.slice(0, hidden - found.length))
    const isThere = new Set(left)
    take(named)
    // of each GPU one claim has it, the others wait for another
    const waiting = named.filter((gpu, i) => !isThere.has(gpu) || named.indexOf(gpu) !== i)
    take(left.slice(0, waiting.length))
    return left
  }

  /** GPUs that a host has beyond what is in use and what claims hold, however they are spread; below 0: more than it has. */
  gpuRoom(host: ModelHost): number {
    if (host.gone !== null) return 0
    const { shown, beside } = this.#held(host)
    const count = (all: { gpus: number[] }[]) => all.reduce((sum, { gpus }) => sum + gpus.length, 0)
    return host.gpus.length - Math.max(host.fromClaims ? 0 : host.gpusUsed.length, count(shown)) - count(beside)
  }

  /** What claims hold on a host: of instances that its report shows, and beside it. */
  #held(host: ModelHost, without: ModelClaim[] = [], lingering: ModelClaim[] = []): { shown: Holding[]; beside: Holding[] } {
    const shown: Holding[] = lingering.filter((claim) => claim.host === host.name)
    const beside: Holding[] = []
    for (const claim of this.claims) {
      if (claim.host !== host.name || without.includes(claim)) continue
      const { amounts, gpus } = claim
      const extra = claim.extra ?? {}
      if (!isLiveState(claim.state)) {
        if (claim.lingers) shown.push({ amounts, gpus })
      } else if (this.#growsInPlace(claim)) beside.push(claim.extra === null ? { amounts, gpus } : { amounts: extra, gpus: [] })
      else if (claim.state === 'MATERIALISED' && !host.fromClaims) {
        const counted = Object.entries(amounts).map(([name, amount]) => [name, amount - (extra[name] ?? 0)])
        shown.push({ amounts: Object.fromEntries(counted), gpus })
        beside.push({ amounts: extra, gpus: [] })
      } else {
        beside.push({ amounts, gpus })
        if (this.level < 8) beside.push({ amounts: extra, gpus: [] })
      }
    }
    return { shown, beside }
  }

  /** Whether a move on one host is of plain amounts on both sides: only these have a difference. */
  #growsPlainly(claim: ModelClaim, source: ModelClaim): boolean {
    return claim.host === source.host && claim.gpus.length === 0 && source.gpus.length === 0
  }

  /** Whether a claim is the destination of an open move on its own host. */
  #growsInPlace(claim: ModelClaim): boolean {
    return claim.source !== null && this.claim(claim.source)?.host === claim.host
  }

  #judge(change: ModelChange, basis: number, fence: number): string | undefined {
    switch (change.type) {
      case 'claims':
      case 'instances':
        return this.#judgeProposal(change, basis) ?? this.#judgeClaims(change, fence)
      case 'attempt':
        return this.#judgeProposal(change, basis) ?? this.#judgeAttempt(change, fence)
      case 'move':
        return this.#judgeProposal(change, basis) ?? this.#judgeMove(change, fence)
      case 'report':
        return this.#takeReport(change)
      case 'status': {
        const host = this.host(change.host)
        if (host === undefined) return 'report.unknown_host'
        host.status = change.status
        host.edited = this.revision
        return undefined
      }
      case 'liveness': {
        const host = this.host(change.host)
        if (host === undefined) return 'report.unknown_host'
        host.liveness = change.state
        if (change.state === 'DOWN') host.edited = this.revision
        return undefined
      }
      case 'usedFrom': {
        const host = this.host(change.host)
        if (host === undefined) return 'report.unknown_host'
        host.fromClaims = change.usedFrom === 'CLAIMS'
        host.edited = this.revision
        return undefined
      }
      case 'forget':
        return this.#forget(change)
      case 'readmit':
        return this.#readmit(change)
      case 'replace':
        return this.#replace(change)
      case 'abandon':
        return this.#abandon(change)
      case 'group':
        return this.#changeGroup(change)
      case 'aggregate':
        return this.#changeAggregate(change)
      case 'feature':
        return undefined
      case 'key-limits': {
        for (const key of this.keys) if (key.forgottenAt !== null) key.forgottenAt += change.afterlifeMs - this.afterlife
        this.afterlife = change.afterlifeMs
        return undefined
      }
      // which version decides is nothing that a claim is judged by: worlds propose none, and the model has no versions
      case 'profile':
      case 'activate':
      case 'rollout':
        return undefined
      default:
        return this.#judgeClaimCall(change)
    }
  }

  #judgeProposal(change: ModelChange, basis: number): string | undefined {
    if (this.keys.some(({ account, key }) => account === change.account && key === change.key)) return 'claim.key_used'
    if (change.notAfter !== null && this.now > change.notAfter) return 'claim.deadline'
    const ids = change.parts.map(({ claim }: ModelChange) => claim)
    if (new Set(ids).size < ids.length || ids.some((id: string) => this.claim(id) !== undefined)) return 'claim.id_taken'
    if (change.group !== null) {
      const group = this.group(change.group.uuid)
      if (group !== undefined && (group.policy !== change.group.policy || group.max !== change.group.maxServerPerHost))
        return 'claim.group_mismatch'
      if (group !== undefined && group.edited > basis) return 'claim.edited'
    }
    for (const part of change.parts) {
      const host = this.host(part.host)
      if (host === undefined) return 'claim.no_room'
      if (host.edited > basis) return 'claim.edited'
    }
    return undefined
  }

  /** Whom a proposal's instances count for. */
  #scopeOf(change: ModelChange): { project: string | null; within: string } {
    return { project: change.type === 'claims' ? change.decision.request.projectId : change.project, within: change.account }
  }

  /** Live claims of an instance within a project, or within an account where one side has no project. */
  claimsOf(instance: string | null, { project, within }: { project: string | null; within: string }): ModelClaim[] {
    return this.claims.filter(
      (claim) =>
        instance !== null &&
        claim.instance === instance &&
        this.isLive(claim) &&
        (project !== null && claim.project !== null ? project === claim.project : within === claim.within),
    )
  }

  /** Whether a reservation has run out, though nobody has said so. */
  isOverdue({ state, expiresAt }: ModelClaim): boolean {
    return state === 'RESERVED' && expiresAt !== null && expiresAt <= this.now
  }

  #judgeClaims(change: ModelChange, fence: number): string | undefined {
    const overdue: ModelClaim[] = []
    if (this.level >= ONE_CLAIM) {
      const named = change.parts.map(({ instance }: ModelChange) => instance).filter((instance: string | null) => instance !== null)
      if (new Set(named).size < named.length) return 'claim.instance_taken'
      for (const instance of named) {
        const there = this.claimsOf(instance, this.#scopeOf(change))
        if (there.some((claim) => !this.isOverdue(claim))) return 'claim.instance_taken'
        overdue.push(...there)
      }
    }
    const before = { claims: [...this.claims], groups: [...this.groups] }
    this.#bindGroup(change.group)
    for (const [i, part] of change.parts.entries()) {
      const refusal = this.#mayStand(part, change.group?.uuid ?? null)
      if (refusal !== undefined) {
        this.claims = before.claims
        this.groups = before.groups
        return refusal
      }
      this.claims.push(this.#newClaim(change, part, fence + i))
    }
    for (const claim of overdue) if (this.isLive(claim)) this.#end(claim, 'EXPIRED')
    this.#bindKey(change)
    return undefined
  }

  /** A move of a claim of the same account, after the destination of its open move is released. */
  #judgeAttempt(change: ModelChange, fence: number): string | undefined {
    const [part] = change.parts
    const source = this.claim(change.source.claim)
    const isOwn = (claim: ModelClaim | undefined, at: number | undefined): claim is ModelClaim =>
      this.isLive(claim) && claim.account === change.account && claim.fence === at
    if (change.parts.length !== 1 || !isOwn(source, change.source.fence)) return 'claim.lost'
    if (source.instance === null || source.instance !== part.instance) return 'claim.lost'
    const inScope = this.claimsOf(source.instance, this.#scopeOf(change))
    if (!inScope.includes(source)) return 'claim.lost'
    if (source.source !== null || source.target !== (change.ends?.claim ?? null)) return 'claim.moving'
    const ended = source.target === null ? undefined : this.claim(source.target)
    if (ended !== undefined && !isOwn(ended, change.ends?.fence)) return 'claim.lost'
    if (inScope.some((claim) => claim !== source && claim !== ended && !this.isOverdue(claim))) return 'claim.instance_taken'
    if ((change.group?.uuid ?? null) !== source.group) return 'claim.group_mismatch'
    const refusal = this.#mayStand(part, source.group, source, ended)
    if (refusal !== undefined) return refusal
    if (ended !== undefined) this.#end(ended, 'RELEASED')
    this.#beginMove(change, part, fence, source)
    return undefined
  }

  #judgeMove(change: ModelChange, fence: number): string | undefined {
    const source = this.claim(change.source.claim)
    const [part] = change.parts
    if (change.parts.length !== 1) return 'claim.lost'
    if (!this.isLive(source) || source.fence !== change.source.fence || source.instance !== part.instance) return 'claim.lost'
    if (source.source !== null || source.target !== null) return 'claim.moving'
    if ((change.group?.uuid ?? null) !== source.group) return 'claim.group_mismatch'
    const refusal = this.#mayStand(part, source.group, source)
    if (refusal !== undefined) return refusal
    this.#beginMove(change, part, fence, source)
    return undefined
  }

  #beginMove(change: ModelChange, part: ModelChange, fence: number, source: ModelClaim): void {
    const claim = { ...this.#newClaim(change, part, fence), project: source.project, within: source.within }
    claim.source = source.id
    source.target = claim.id
    if (this.#growsPlainly(claim, source)) {
      claim.extra = {}
      for (const [resourceClass, amount] of Object.entries(claim.amounts))
        claim.extra[resourceClass] = Math.max(0, amount - (source.amounts[resourceClass] ?? 0))
    }
    this.claims.push(claim)
    this.#bindKey(change)
  }

  /** Whether one more instance may stand on a host, as if the claim that moves, and the destination that is given up, were not there. */
  #mayStand(part: ModelChange, uuid: string | null, mover?: ModelClaim, given?: ModelClaim): string | undefined {
    const host = this.host(part.host)
    if (host === undefined) return 'claim.no_room'
    const without = given === undefined || given.state === 'MATERIALISED' || this.#growsInPlace(given) ? [] : [given]
    // where its host lists the instance, the destination goes on to hold what the report does not count
    const lingering = this.level >= 9 ? without.filter((claim) => this.#isListed(claim)) : []
    for (const [resourceClass, amount] of Object.entries<number>(part.grants.classes ?? {})) {
      const isOwn = mover !== undefined && mover.host === host.name && mover.gpus.length === 0 && gpusOf(part).length === 0
      const own = isOwn ? (mover.amounts[resourceClass] ?? 0) : 0
      const hasAsMuch = this.level >= OWN_LIMITS && amount <= own
      if (this.free(host, resourceClass, without, lingering) + own < amount && !hasAsMuch) return 'claim.no_room'
      const { total } = host.classes[resourceClass] ?? NOTHING
      if (this.level >= OWN_LIMITS && amount > total && !hasAsMuch) return 'claim.no_room'
    }
    const gpus = gpusOf(part)
    const left = this.gpusLeft(host, without, lingering)
    if (new Set(gpus).size < gpus.length || gpus.some((gpu) => !left.includes(gpu))) return 'claim.no_room'
    const group = this.group(uuid)
    if (group === undefined) return undefined
    const others = this.members(group.uuid).filter((member) => member !== mover && member !== given)
    const here = others.filter((member) => member.host === host.name)
    if (group.policy === 'ANTI_AFFINITY' && here.length >= (group.max ?? 1)) return 'claim.group_rule'
    if (group.policy === 'AFFINITY' && others.some((member) => member.host !== host.name)) return 'claim.group_rule'
    return undefined
  }

  #newClaim(change: ModelChange, part: ModelChange, fence: number): ModelClaim {
    return {
      id: part.claim,
      account: change.account,
      project: this.level >= ONE_CLAIM && change.type !== 'move' ? this.#scopeOf(change).project : null,
      within: change.account,
      key: change.key,
      instance: part.instance,
      host: part.host,
      amounts: part.grants.classes ?? {},
      gpus: gpusOf(part),
      group: change.group?.uuid ?? null,
      fence,
      state: change.mode === 'RESERVE' ? 'RESERVED' : 'CONFIRMED',
      expiresAt: change.mode === 'RESERVE' ? this.now + change.ttlMs : null,
      source: null,
      target: null,
      extra: null,
      lingers: false,
    }
  }

  #bindGroup(group: ModelChange | null): void {
    if (group === null || this.group(group.uuid) !== undefined) return
    this.groups.push({ uuid: group.uuid, policy: group.policy, max: group.maxServerPerHost, version: 1, edited: 0 })
  }

  #bindKey({ account, key, parts }: ModelChange): void {
    const claims = parts.map(({ claim }: ModelChange) => claim)
    this.keys.push({ account, key, claims, forgottenAt: claims.length === 0 ? this.now + this.afterlife : null })
  }

  /** Calls about one claim. */
  #judgeClaimCall(change: ModelChange): string | undefined {
    const claim = this.claim(change.claim)
    const isOwn = claim !== undefined && claim.fence === change.fence
    switch (change.type) {
      case 'confirm':
        if (!isOwn || !this.isLive(claim)) return 'claim.lost'
        if (claim.state === 'RESERVED') claim.state = 'CONFIRMED'
        claim.expiresAt = null
        if (claim.source !== null) this.#settleMove(claim)
        return undefined
      case 'extend':
        if (!isOwn || !this.isLive(claim)) return 'claim.lost'
        if (claim.expiresAt !== null) claim.expiresAt = Math.max(claim.expiresAt, this.now + change.ttlMs)
        return undefined
      case 'release':
        if (!isOwn) return 'claim.lost'
        if (claim.state === 'RELEASED') return undefined
        if (!this.isLive(claim)) return 'claim.lost'
        this.#end(claim, 'RELEASED')
        return undefined
      case 'revoke':
        if (claim?.state === 'REVOKED') return undefined
        if (!this.isLive(claim)) return 'claim.lost'
        this.#end(claim, 'REVOKED')
        return undefined
      case 'expire':
        if (claim?.state !== 'RESERVED' || claim.expiresAt === null || claim.expiresAt > this.now) return 'claim.not_expired'
        this.#end(claim, 'EXPIRED')
        return undefined
      case 'membership': {
        if (!isOwn || !this.isLive(claim)) return 'claim.lost'
        if (claim.source !== null || claim.target !== null) return 'claim.moving'
        const { group } = change
        if (claim.group === (group?.uuid ?? null)) return undefined
        if (group !== null) {
          const bound = this.group(group.uuid)
          if (bound !== undefined && (bound.policy !== group.policy || bound.max !== group.maxServerPerHost)) return 'claim.group_mismatch'
          if (this.#mayStand({ host: claim.host, grants: {} }, group.uuid) !== undefined) return 'group.conflict'
          this.#bindGroup(group)
          this.#markEdited(group.uuid)
        }
        this.#markEdited(claim.group)
        claim.group = group?.uuid ?? null
        this.#forgetEmptyGroups()
        return undefined
      }
      default:
        throw new Error(`the model does not know changes of type ${change.type}`)
    }
  }

  #changeGroup(change: ModelChange): string | undefined {
    const group = this.group(change.uuid)
    if (group === undefined) return 'group.unknown'
    if (group.version !== change.expectedVersion) return 'group.version'
    const hosts = this.members(group.uuid).map(({ host }) => host)
    const most = Math.max(0, ...hosts.map((host) => hosts.filter((other) => other === host).length))
    if (change.policy === 'ANTI_AFFINITY' && most > (change.maxServerPerHost ?? 1)) return 'group.conflict'
    if (change.policy === 'AFFINITY' && new Set(hosts).size > 1) return 'group.conflict'
    group.policy = change.policy
    group.max = change.maxServerPerHost
    this.#markEdited(group.uuid)
    return undefined
  }

  #changeAggregate({ uuid, expectedVersion, next }: ModelChange): string | undefined {
    const before = this.aggregates.find((one) => one.uuid === uuid)
    const others = this.aggregates.filter((one) => one.uuid !== uuid)
    if ((before?.version ?? 0) !== expectedVersion) return 'aggregate.version'
    const zone: string | null = next?.metadata.availability_zone ?? null
    const hosts: string[] = next?.hosts ?? []
    if (next !== null && others.some(({ name }) => name === next.name)) return 'aggregate.name_taken'
    const shares = (other: ModelAggregate) => other.hosts.some((host) => hosts.includes(host))
    if (zone !== null && others.some((other) => other.zone !== null && other.zone !== zone && shares(other)))
      return 'aggregate.zone_conflict'
    for (const host of this.hosts.filter(({ gone }) => gone === null))
      if (hosts.includes(host.name) || (before?.hosts.includes(host.name) ?? false)) host.edited = this.revision
    this.aggregates = others
    if (next !== null) this.aggregates.push({ uuid, name: next.name, zone, hosts, version: expectedVersion + 1 })
    return undefined
  }

  /** The zone that a host's aggregates put it in; Nova's own name where none does. */
  zoneOf(host: string): string {
    return this.aggregates.find(({ zone, hosts }) => zone !== null && hosts.includes(host))?.zone ?? 'nova'
  }

  #markEdited(uuid: string | null): void {
    const group = this.group(uuid)
    if (group === undefined) return
    group.version++
    group.edited = this.revision
  }

  #settleMove(claim: ModelClaim): void {
    const source = this.claim(claim.source as string)
    const inPlace = this.#growsInPlace(claim)
    if (source === undefined) return
    claim.source = null
    source.target = null
    if (inPlace && source.state === 'MATERIALISED' && claim.extra !== null) claim.state = 'MATERIALISED'
    else claim.extra = null
    this.#end(source, 'RELEASED')
    if (inPlace) source.lingers = false
  }

  /** A host that lists nothing shows nobody: what ended claims held there is free. */
  #letGo(host: ModelHost): void {
    host.present = []
    for (const claim of this.claims) if (claim.host === host.name) claim.lingers = false
    this.#forgetUnused()
  }

  /** Whether its host lists its instance. */
  #isListed({ host, instance }: ModelClaim): boolean {
    return instance !== null && (this.host(host)?.present.includes(instance) ?? false)
  }

  #end(claim: ModelClaim, state: string): void {
    const target = claim.target === null ? undefined : this.claim(claim.target)
    const source = claim.source === null ? undefined : this.claim(claim.source)
    claim.lingers = this.#isListed(claim) && !this.#growsInPlace(claim)
    // one that grows on this very host has nowhere else to be
    if (target !== undefined && target.host === claim.host) this.#end(target, state)
    else if (target !== undefined) target.source = null
    if (source !== undefined) source.target = null
    claim.source = null
    claim.target = null
    claim.extra = null
    claim.state = state
    const key = this.keys.find((one) => one.account === claim.account && one.key === claim.key)
    if (key?.forgottenAt === null && !key.claims.some((id) => this.isLive(this.claim(id)))) key.forgottenAt = this.now + this.afterlife
    this.#forgetEmptyGroups()
  }

  #forgetEmptyGroups(): void {
    this.groups = this.groups.filter(({ uuid }) => this.members(uuid).length > 0)
  }

  #abandon({ account, key }: ModelChange): string | undefined {
    const bound = this.keys.find((one) => one.account === account && one.key === key)
    if (bound === undefined) {
      this.keys.push({ account, key, claims: [], forgottenAt: this.now + this.afterlife })
      return undefined
    }
    for (const id of bound.claims) {
      const claim = this.claim(id)
      if (this.isLive(claim)) this.#end(claim, 'RELEASED')
    }
    return undefined
  }

  #liveOn(host: ModelHost): ModelClaim[] {
    return this.claims.filter((claim) => claim.host === host.name && this.isLive(claim)).sort((a, b) => a.fence - b.fence)
  }

  #hasClaims(host: ModelHost): boolean {
    return this.#liveOn(host).some((claim) => !this.isOverdue(claim))
  }

  #forget({ hosts: names, isForced }: ModelChange): string | undefined {
    const readmitted = (name: string): ModelHost | undefined => {
      const forgotten = this.#forgotten(name)
      return forgotten?.gone === 'readmitted' ? forgotten : undefined
    }
    const hosts = names.map(({ host }: ModelChange) => this.host(host) ?? readmitted(host))
    if (hosts.includes(undefined)) return 'leave.not_there'
    if (!isForced && hosts.some((host: ModelHost) => this.#hasClaims(host))) return 'leave.has_claims'
    for (const host of hosts)
      if (host.gone === null) this.#bury(host, 'forgotten')
      else host.gone = 'forgotten'
    return undefined
  }

  /** Claims end, and nothing is left but names and what makes old reports stale. */
  #bury(host: ModelHost, as: 'forgotten' | 'merged'): void {
    for (const claim of host.gone === null ? this.#liveOn(host) : [])
      if (this.isLive(claim)) this.#end(claim, this.isOverdue(claim) ? 'EXPIRED' : 'REVOKED')
    if (host.gone === null) this.#editLists(host.name, [])
    if (host.gone === null) for (const claim of this.claims) if (claim.host === host.name) claim.lingers = false
    Object.assign(host, { gpus: [], gpusUsed: [], present: [], full: null, fromClaims: false })
    Object.assign(host, { status: 'ENABLED', liveness: 'UP', edited: this.revision, gone: as })
    for (const name of Object.keys(host.classes)) host.classes[name] = { ...NOTHING }
    this.#forgetUnused()
  }

  /** A host's name on the lists of aggregates becomes others: an edit of each, and so of all their hosts. */
  #editLists(name: string, by: string[]): void {
    for (const aggregate of this.aggregates.filter(({ hosts }) => hosts.includes(name))) {
      const named = [...aggregate.hosts, ...by]
      for (const host of this.hosts) if (host.gone === null && named.includes(host.name)) host.edited = this.revision
      aggregate.hosts = [...new Set(aggregate.hosts.flatMap((host) => (host === name ? by : [host])))]
      aggregate.version++
    }
  }

  #readmit({ host: name }: ModelChange): string | undefined {
    const forgotten = this.#forgotten(name)
    const renamed = this.#renamed(name)
    if (forgotten !== undefined) forgotten.gone = 'readmitted'
    else if (renamed !== undefined) renamed.former = renamed.former.filter((former) => former !== name)
    else return 'leave.not_gone'
    return undefined
  }

  /** Worlds rename one host at a time. */
  #replace({ hosts: pairs }: ModelChange): string | undefined {
    const [pair] = pairs
    const from: string = pair.from.host
    const to: string = pair.to.host
    if (from === to) return 'leave.name_taken'
    const old = this.host(from)
    if (old === undefined) return 'leave.not_there'
    const renamed = this.#renamed(to)
    if (renamed !== undefined && renamed !== old) return 'leave.name_taken'
    const next = this.host(to) ?? this.#forgotten(to)
    if (next !== undefined && next.gone === null && this.#hasClaims(next)) return 'leave.has_claims'
    const reported = next?.gone === null ? { ...next } : undefined
    if (next !== undefined) this.#bury(next, 'merged')
    old.name = to
    old.former = [...old.former.filter((name) => name !== to), from]
    for (const claim of this.claims) if (claim.host === from && (isLiveState(claim.state) || claim.lingers)) claim.host = to
    this.#editLists(from, [to])
    if (reported !== undefined) {
      const past = [...reported.pastIncarnations, old.incarnation, ...old.pastIncarnations]
      old.pastIncarnations = [...new Set(past.filter((incarnation) => incarnation !== reported.incarnation))].slice(0, 8)
      old.incarnation = reported.incarnation
      old.sequence = reported.sequence
      old.liveness = reported.liveness
      this.#takeFull(old, reported.full as ModelChange)
    }
    old.edited = this.revision
    return undefined
  }

  #takeReport(change: ModelChange): string | undefined {
    const returning = this.#forgotten(change.host)
    const known = this.host(change.host) ?? returning
    if (returning?.gone === 'forgotten') return 'report.host_forgotten'
    if (known === undefined && this.#renamed(change.host) !== undefined) return 'report.host_replaced'
    if (known !== undefined) {
      const isSame = known.incarnation === change.incarnation
      if (isSame ? change.sequence <= known.sequence : known.pastIncarnations.includes(change.incarnation)) return 'report.stale'
      if (!isSame) known.pastIncarnations = [known.incarnation, ...known.pastIncarnations].slice(0, 8)
    }
    const host = known ?? this.#newHost(change.host)
    host.gone = null
    host.incarnation = change.incarnation
    host.sequence = change.sequence
    if (known === undefined) this.hosts.push(host)
    this.reported.add(change.host)
    this.#takeFull(host, change.full)
    return undefined
  }

  #newHost(name: string): ModelHost {
    return {
      ...{
        name,
        classes: {},
        gpus: [],
        gpusUsed: [],
        fromClaims: false,
        present: [],
        listsNothing: false,
        incarnation: '',
        pastIncarnations: [],
        sequence: 0,
      },
      ...{ status: 'ENABLED', liveness: 'UP', edited: 0, full: null, gone: null, former: [] },
    }
  }

  #takeFull(host: ModelHost, full: ModelChange): void {
    host.full = full
    const of = (total: number, ratio: number, used: number) => ({
      total,
      capacity: Math.floor((total * Math.round(ratio * 1_000)) / 1_000),
      used,
    })
    host.classes = {
      VCPU: of(full.vcpus, full.cpuAllocationRatio, full.vcpusUsed),
      MEMORY_MB: of(full.memoryMb, full.ramAllocationRatio, full.memoryMbUsed),
      DISK_GB: of(full.localGb, full.diskAllocationRatio, full.localGbUsed),
    }
    const gpus: { index: number; usedMilli: number | null }[] = full.gpus ?? []
    host.gpus = gpus.map(({ index }) => index).sort((a, b) => a - b)
    host.gpusUsed = gpus.filter(({ usedMilli }) => (usedMilli ?? 0) > 0).map(({ index }) => index)
    host.listsNothing = full.instances === null
    if (full.instances === null) {
      // nobody is shown any more
      if (this.level >= 8)
        for (const claim of this.claims) if (claim.host === host.name && claim.state === 'MATERIALISED') claim.state = 'CONFIRMED'
      if (this.level >= 9) this.#letGo(host)
      return
    }
    host.present = [...full.instances]
    for (const claim of this.claims) {
      if (claim.host === host.name && claim.instance !== null && !host.present.includes(claim.instance)) claim.lingers = false
      if (claim.host !== host.name || claim.instance === null || !this.isLive(claim) || this.#growsInPlace(claim)) continue
      claim.extra = null
      const listed = host.present.includes(claim.instance)
      if (listed && claim.state !== 'MATERIALISED') {
        claim.state = 'MATERIALISED'
        claim.expiresAt = null
      } else if (!listed && claim.state === 'MATERIALISED') claim.state = 'CONFIRMED'
    }
    // of an instance that has another claim here by now, the ended one holds nothing
    const counted = this.claims
      .filter((claim) => claim.host === host.name && claim.state === 'MATERIALISED')
      .map(({ instance }) => instance)
    if (this.level >= 9)
      for (const claim of this.claims) if (claim.host === host.name && counted.includes(claim.instance)) claim.lingers = false
    this.#forgetUnused()
  }
}
