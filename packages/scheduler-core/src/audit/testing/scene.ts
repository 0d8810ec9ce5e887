import { expect } from 'vitest'
import { checkpointOf, restoreFleet } from '../../fleet/checkpoint.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import { aLog, aMove, aReport, aUuid, type HostShape, someInstances } from '../../testing/index.ts'
import type { Finding } from '../finding.ts'
import { DEFAULT_UNLISTED_AFTER_MS } from '../listing.ts'
import { auditWorld } from '../world.ts'

export const HOUR = DEFAULT_UNLISTED_AFTER_MS
export const [A, B, C, D] = [1, 2, 3, 4].map(aUuid) as [string, string, string, string]
const grants = { classes: { VCPU: 2 } }

export const findingsOf = (fleet: Fleet, afterMs?: number): Finding[] => [...auditWorld(fleet, afterMs)].flatMap(({ findings }) => findings)
const inShort = ({ code, host, claim, actual }: Finding): string => [code, host, claim, actual].filter((part) => part !== null).join(' | ')

/**
 * A log to which each method adds a report of a host or an action of a caller. `found` has the findings in the state at the end of the log.
 */
export class Scene {
  readonly log = aLog()
  #sequence = 0
  #now = 1_000

  constructor(hosts: readonly string[], level = FEATURE_LEVEL) {
    this.log.append([{ type: 'feature', level }, ...hosts.map((host) => aReport(host, { instances: [] }))], { at: this.#now })
  }

  after(ms: number): this {
    this.#now += ms
    // An unrelated entry advances the time of the log.
    this.log.append([{ type: 'abandon', account: 'clock', key: String(this.#now) }], { at: this.#now })
    return this
  }

  reports(host: string, shape: HostShape): this {
    this.#sequence++
    expect(this.log.append([aReport(host, shape, 1 + this.#sequence)], { at: this.#now })).toEqual([undefined])
    return this
  }

  lists(host: string, ...instances: string[]): this {
    const used = instances.length * 2
    return this.reports(host, { instances, vcpusUsed: used })
  }

  claims(id: string, host: string, instance: string, project = 'p'): this {
    const change = someInstances({ key: id, ids: [id], hosts: [host], instances: [instance], grants, mode: 'CONFIRM', project })
    expect(this.log.append([change], { at: this.#now })).toEqual([undefined])
    return this
  }

  moves(id: string, host: string, of: string): this {
    const { instance = null } = this.log.fleet.ledger.claims.get(of) ?? {}
    const source = { claim: of, fence: this.#fenceOf(of) }
    const move = aMove({ key: id, ids: [id], hosts: [host], grants, instances: [instance], mode: 'RESERVE', ttlMs: 9 * HOUR, source })
    expect(this.log.append([move], { at: this.#now })).toEqual([undefined])
    return this
  }

  confirms(claim: string): this {
    expect(this.log.append([{ type: 'confirm', claim, fence: this.#fenceOf(claim) }], { at: this.#now })).toEqual([undefined])
    return this
  }

  releases(claim: string): this {
    expect(this.log.append([{ type: 'release', claim, fence: this.#fenceOf(claim), reason: null }], { at: this.#now })).toEqual([undefined])
    return this
  }

  get found(): string[] {
    const { fleet } = this.log
    const found = findingsOf(fleet).map(inShort)
    // A fleet that is restored from a checkpoint must have the same findings.
    const twin = restoreFleet(JSON.parse(JSON.stringify(checkpointOf(fleet))))
    expect(findingsOf(twin).map(inShort)).toEqual(found)
    return found
  }

  #fenceOf(claim: string): number {
    return this.log.fleet.ledger.claims.get(claim)?.fence ?? 0
  }
}
