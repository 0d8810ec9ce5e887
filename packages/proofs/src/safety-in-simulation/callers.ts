import {
  type Change,
  COUNTED_RESERVATIONS,
  DEFAULT_PROFILE,
  type Fleet,
  isLive,
  type Liveness,
  type RequestSpec,
} from '@gantt/scheduler-core'
import type { PlacementCall, PlacementOutcome } from '@gantt/server/for-proofs'
import { GROUPS, GROUPS_APART, groupAt, NAMES, requestOf, uuidOf } from './fixtures.ts'
import type { Action } from './plan.ts'
import type { KnownClaim, Process, WorldState } from './world-state.ts'

/** The simulated callers and operators, which send calls and check the answers. */
export class Callers {
  readonly #world: WorldState

  constructor(world: WorldState) {
    this.#world = world
  }

  callFor(process: Process, { what, b, c }: Action): void {
    const { replica } = process
    const claim = this.#world.known[b % Math.max(1, this.#world.known.length)]
    // One of the six most recent claims, because these are the most likely to be destinations of moves that are not finished.
    const recent = this.#world.known[this.#world.known.length - 1 - (b % Math.max(1, Math.min(6, this.#world.known.length)))]
    const host = NAMES[b % NAMES.length] as string
    const propose = (name: string, change: Change): void =>
      this.#world.ask(process, `${name} of ${host}`, replica.propose([change]), () => {})
    switch (what) {
      case 'place':
        this.#place(process, this.#newCall(b, c))
        break
      case 'retry': {
        const call = this.#world.calls[this.#world.calls.length - 1 - (b % Math.max(1, Math.min(8, this.#world.calls.length)))]
        if (call !== undefined) this.#place(process, call)
        break
      }
      case 'status':
        this.#world.ask(
          process,
          `status of ${host}`,
          process.hosts.setStatus({ hosts: [{ host }], status: c % 3 === 0 ? 'DISABLED' : 'ENABLED', reason: 'test', dryRun: false }),
          () => {},
        )
        break
      case 'forget':
        // In half of the cases the replica proposes the change without the usual checks. A change that is not allowed must then be void by
        // the rules of the log.
        if (c % 2 === 1) propose(what, { type: what, hosts: [{ host, node: host }], isForced: c % 5 === 0, reason: 'simulated' })
        else
          this.#world.ask(
            process,
            `forget ${host}`,
            process.leaving.forget({ hosts: [{ host }], force: c % 3 === 0, reason: 'simulated', dryRun: c % 7 === 0 }),
            () => {},
          )
        break
      case 'readmit':
        this.#world.ask(process, `readmit ${host}`, process.leaving.readmit({ host }, 'simulated'), () => {})
        break
      case 'replace': {
        const to = NAMES[c % NAMES.length] as string
        const by = { host: to }
        if (b % 2 === 1) {
          const pair = { from: { host, node: host }, to: { host: to, node: to } }
          propose(what, { type: what, hosts: [pair], reason: 'simulated' })
          break
        }
        this.#world.ask(
          process,
          `replace ${host}`,
          process.leaving.replace({ host: { host }, by, reason: 'simulated', dryRun: false }),
          () => {},
        )
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
        // In one case of three the edit names an outdated version, as if another replica had edited meanwhile.
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
        this.#world.ask(
          process,
          `edit of ${uuid}`,
          process.groups.update(uuid, version, { policy, maxServerPerHost }, c % 5 === 0),
          () => {},
        )
        break
      }
      case 'abandon': {
        const call = this.#world.calls[b % Math.max(1, this.#world.calls.length)]
        if (call === undefined) break
        this.#world.ask(process, `abandon ${call.key}`, process.claims.abandon(call.account, call.key), ({ type }) => {
          if (type === 'done') this.#world.abandoned.add(call.key)
        })
        break
      }
      case 'inPlace': {
        const listed = this.#world.known.filter(({ id }) => this.#world.model.claim(id)?.state === 'MATERIALISED')
        const resized = listed[b % Math.max(1, listed.length)] ?? recent
        if (resized !== undefined) this.#resizeInPlace(process, resized, 2 + (c % 2), b, c)
        break
      }
      case 'look': {
        // A caller that got a revision from one replica can read from any other replica at that revision or a later one.
        const head = replica.fleet.place.revision
        const other = this.#world.processes[c % this.#world.plan.replicas]
        if (other === undefined) break
        this.#world.ask(other, `look at ${head}`, other.replica.reached(head, 2_000), (reached) => {
          if (reached && other.replica.fleet.place.revision < head) this.#world.fail(`I9: replica ${other.number} says it reached ${head}`)
        })
        break
      }
      default:
        if (claim !== undefined && recent !== undefined)
          this.#callAbout(process, what, what === 'move' || what === 'settle' ? recent : claim, b, c)
    }
  }

  #callAbout(process: Process, what: Action['what'], claim: KnownClaim, b: number, c: number): void {
    const { claims, groups } = process
    const { id } = claim
    const wasReleased = this.#world.released.has(id)
    switch (what) {
      case 'move': {
        const isResize = c % 3 === 0
        const request = isResize
          ? requestOf({ vcpus: 1 + (c % 5), memoryMb: 1_024, numInstances: 1 })
          : { ...claim.request, numInstances: 1 }
        this.#place(process, this.#moveCall(claim, request, isResize ? 'RESIZE' : 'LIVE_MIGRATE', b, c))
        break
      }
      case 'settle':
      case 'confirm':
        if (what === 'settle' && c % 3 === 0) this.#release(process, claim)
        else
          this.#world.ask(process, `confirm ${id}`, claims.confirm([claim]), ([outcome]) => {
            if (outcome?.type === 'done' && wasReleased) this.#world.fail(`claim ${id} was released, then confirmed`)
          })
        break
      case 'extend':
        this.#world.ask(process, `extend ${id}`, claims.extend([claim], 1_000 + c * 20), () => {})
        break
      case 'release':
        this.#release(process, claim)
        break
      case 'revoke':
        this.#world.ask(process, `revoke ${id}`, claims.revoke([id], 'simulated'), ([outcome]) => {
          if (outcome?.type === 'done') this.#world.released.add(id)
        })
        break
      case 'membership':
        this.#world.ask(process, `membership of ${id}`, groups.setMembership([claim], c % 3 === 0 ? null : groupAt(c), false), () => {})
        break
      default:
        throw new Error(`${what} is not a call about a claim`)
    }
  }

  /** Resizes an instance on its own host several times, and confirms each resize at once. Afterwards the claim ends, moves, or stays. */
  #resizeInPlace(process: Process, claim: KnownClaim, times: number, b: number, c: number): void {
    const { host, id } = claim
    const { VCPU = 1 } = this.#world.model.claim(id)?.amounts ?? {}
    // In three cases of four the new size is only one CPU larger than the original, so that several resizes fit.
    const vcpus = b % 4 === 0 ? 1 + (c % 5) : VCPU + 1
    const sized = { vcpus, memoryMb: 512 * (1 + (c % 4)), numInstances: 1, requestedDestination: { host, node: host } }
    const call = this.#moveCall(claim, requestOf({ ...sized, ...(b % 5 === 0 && { gpus: { count: 1 } }) }), 'RESIZE', b, c)
    this.#place(process, call, ([moved]) => {
      if (moved === undefined) return
      this.#world.ask(process, `confirm ${moved.id} in place`, process.claims.confirm([moved]), ([outcome]) => {
        if (outcome?.type !== 'done') return
        this.#world.see('moves in place')
        if (times > 1) {
          this.#world.see('moves in place again')
          this.#resizeInPlace(process, moved, times - 1, b * 7 + 3, c * 5 + 2)
        } else if (b % 3 > 0) {
          this.#world.see('ends after moves in place')
          this.#callAbout(process, (['release', 'revoke', 'move'] as const)[c % 3] ?? 'release', moved, b, 1)
        }
      })
    })
  }

  #moveCall(claim: KnownClaim, request: RequestSpec, intent: 'RESIZE' | 'LIVE_MIGRATE', b: number, c: number): PlacementCall {
    const key = `m${this.#world.ids++}`
    const { id, fence } = claim
    const call: PlacementCall = { ...this.#newCall(b, c), key, digest: key, request, intent, source: { claim: id, fence } }
    this.#world.calls.push(call)
    return call
  }

  /**
   * An operator's edit of one of three aggregates. The aggregate is created if this replica does not have it. Otherwise it gets other
   * members, another zone, name or ratio, or is deleted.
   */
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
    this.#world.ask(process, `release ${claim.id}`, process.claims.release([claim], null), ([outcome]) => {
      if (outcome?.type === 'done') this.#world.released.add(claim.id)
    })
  }

  #newCall(b: number, c: number): PlacementCall {
    const numInstances = 1 + (b % 5 === 0 ? 1 + (c % 2) : 0)
    const group = c % 3 === 0 ? GROUPS[b % GROUPS.length] : undefined
    const bound = group && (this.#world.model.group(group.uuid) ?? { policy: group.policy, max: group.maxServerPerHost })
    // In one case of seven, if the feature level allows such a rule, members of this group must not share a host with members of the next
    // group in the list.
    const isApart = group !== undefined && b % 7 === 3 && this.#world.model.level >= GROUPS_APART
    const apartFrom = isApart ? [(GROUPS[(b + 1) % GROUPS.length] as (typeof GROUPS)[number]).uuid] : []
    const key = `k${this.#world.ids++}`
    // In one case of four the caller lost its key, or the host failed. Then the caller sends another request, with another key, for an
    // instance that was placed before.
    const known = this.#world.known[this.#world.known.length - 1 - (c % Math.max(1, Math.min(9, this.#world.known.length)))]?.instance
    // In one case of eight the caller requests the latest instance again, as if it had sent the request to two replicas at the same time.
    const latest = this.#world.calls.at(-1)?.request.instanceUuids[0]
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
        instanceUuids: Array.from({ length: numInstances }, () => again ?? uuidOf(0x2_0000 + this.#world.ids++)),
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
      untilCounted: c % 4 !== 0 && this.#world.model.level >= COUNTED_RESERVATIONS && b % 2 === 0,
      deadlineMs: 2_000 + (c % 8) * 1_000,
      alternatesPerInstance: 1,
      allOrNothing: true,
    }
    this.#world.calls.push(call)
    return call
  }

  #place(process: Process, call: PlacementCall, then: (placed: readonly KnownClaim[]) => void = () => {}): void {
    const head = this.#world.store.log.length
    const wasAbandoned = this.#world.abandoned.has(call.key)
    this.#world.ask(process, `place ${call.key}`, process.replica.place(call), (outcome) => {
      this.#placed(call, outcome, head, wasAbandoned)
      if (outcome.type === 'placed') then(this.#world.known.filter(({ id }) => outcome.claims.some((claim) => claim?.id === id)))
    })
  }

  #placed(call: PlacementCall, outcome: PlacementOutcome, head: number, wasAbandoned: boolean): void {
    if (outcome.type === 'refused') {
      this.#world.counts.refused++
      // A refusal must be decided at the log's head at the time of the call, or at a later revision.
      if (outcome.revision < head)
        this.#world.fail(`I9: ${call.key} was refused at revision ${outcome.revision}; the log was at ${head} already`)
      if (this.#world.answers.has(call.key)) this.#world.fail(`I4: ${call.key} was placed, and is refused now`)
    }
    if (outcome.type !== 'placed') return
    this.#world.counts.placed++
    if (wasAbandoned && !outcome.replayed) this.#world.fail(`${call.key} was abandoned, then placed`)
    const claims = outcome.answer.map(({ selected, instance }, i) => ({ claim: outcome.claims[i], host: selected.host, instance }))
    const answer = JSON.stringify(claims.map(({ host, instance }) => [host, instance]))
    const earlier = this.#world.answers.get(call.key)
    if (earlier !== undefined && earlier !== answer) this.#world.fail(`I4: ${call.key} was answered ${earlier}, and now ${answer}`)
    this.#world.answers.set(call.key, answer)
    if (claims.length !== call.request.numInstances)
      this.#world.fail(`I5: ${call.key} has ${claims.length} of ${call.request.numInstances} instances`)
    for (const { claim, host, instance } of claims) {
      if (claim === undefined) continue
      const there = this.#world.model.claim(claim.id)
      if (there === undefined) this.#world.fail(`I3: claim ${claim.id} of ${call.key} was answered, and is not in the log`)
      if (there !== undefined && there.fence !== claim.fence)
        this.#world.fail(`claim ${claim.id} has fence ${there.fence}, ${claim.fence} was answered`)
      if (!this.#world.known.some(({ id }) => id === claim.id) && isLive(claim))
        this.#world.known.push({ id: claim.id, fence: claim.fence, host, instance, request: call.request })
    }
  }
}
