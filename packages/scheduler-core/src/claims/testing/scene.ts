import { expect } from 'vitest'
import { audit } from '../../audit/audit.ts'
import { checkpointOf, restoreFleet } from '../../fleet/checkpoint.ts'
import { copyFleet } from '../../fleet/copy.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { warningsOf } from '../../fleet/warnings.ts'
import { poolsOf } from '../../kinds/pci/pool.ts'
import { type Change, FEATURE_LEVEL, type Grants } from '../../records/change.ts'
import { aClaim, aLog, aMove, aReport, aUuid, type HostShape, type TestLog } from '../../testing/index.ts'
import type { HostIndex } from '../../values/host-index.ts'

/** A log with one host, for tests of claims. Its methods append changes and read the result. */
export class Scene {
  readonly log: TestLog = aLog()
  #sequence = 0
  readonly #shape: HostShape

  constructor(shape: HostShape, level = FEATURE_LEVEL) {
    this.#shape = shape
    this.log.append([{ type: 'feature', level }])
    this.report({ instances: [] })
  }

  get fleet(): Fleet {
    return this.log.fleet
  }

  append(change: Change): string | undefined {
    return this.log.append([change], { at: this.fleet.now + 1_000 })[0]
  }

  /** Reports the host with its original shape, changed by the fields in `shape`. */
  report(shape: HostShape): void {
    expect(this.append(aReport('h1', { ...this.#shape, ...shape }, ++this.#sequence))).toBeUndefined()
  }

  claim(number: number, grants: Grants): string | undefined {
    return this.append(
      aClaim({ key: `k${number}`, ids: [`c${number}`], hosts: ['h1'], instances: [aUuid(number)], grants, mode: 'CONFIRM' }),
    )
  }

  /** Opens a resize of a claim in place. */
  open(number: number, next: number, classes: Readonly<Record<string, number>>): string | undefined {
    return this.append(
      aMove({
        key: `k${next}`,
        ids: [`c${next}`],
        hosts: ['h1'],
        instances: [aUuid(number)],
        grants: { classes },
        mode: 'CONFIRM',
        intent: 'RESIZE',
        source: { claim: `c${number}`, fence: this.fenceOf(number) },
      }),
    )
  }

  confirm(number: number): string | undefined {
    return this.append({ type: 'confirm', claim: `c${number}`, fence: this.fenceOf(number) })
  }

  release(number: number): string | undefined {
    return this.append({ type: 'release', claim: `c${number}`, fence: this.fenceOf(number), reason: null })
  }

  fenceOf(number: number): number {
    return this.fleet.ledger.claims.get(`c${number}`)?.fence ?? 0
  }

  free(resourceClass: string): number {
    return this.fleet.hosts.classes.get(resourceClass)?.free[0] ?? 0
  }

  get host() {
    return this.fleet.hosts.get(0 as HostIndex)
  }

  get gpus(): number[] {
    return this.host.gpus.map(({ freeMilli }) => freeMilli)
  }

  get freeCpus(): number[] {
    return this.host.cells.map(({ freeCpus }) => freeCpus.free)
  }

  get devices(): number[] {
    return poolsOf(this.host).list.map(({ free }) => free)
  }

  get warnings(): string[] {
    return warningsOf(this.fleet, this.host).map(({ code, subject, reported, held }) => `${code} ${subject} ${reported} ${held}`)
  }

  /** Asserts that the auditor finds no violation, and that a copy and a restored fleet have the same sums. */
  check(): void {
    expect([...audit(this.fleet)].flatMap(({ findings }) => findings)).toEqual([])
    const state = (fleet: Fleet) => {
      const { cells, gpus } = fleet.hosts.get(0 as HostIndex)
      const classes = [...fleet.hosts.classes].map(([name, { used, claimed, covered, free }]) => [
        name,
        used[0],
        claimed[0],
        covered[0],
        free[0],
      ])
      const shown = cells.map(({ cpuFree, memoryFree, pages, pinnedByClaims }) => [
        cpuFree,
        memoryFree,
        pages,
        [...pinnedByClaims.keys()].sort(),
      ])
      return [shown, gpus, poolsOf(fleet.hosts.get(0 as HostIndex)).list.map(({ free }) => free), classes]
    }
    expect(state(restoreFleet(JSON.parse(JSON.stringify(checkpointOf(this.fleet)))))).toEqual(state(this.fleet))
    expect(state(copyFleet(this.fleet))).toEqual(state(this.fleet))
  }
}

export const gpus = (...used: (number | null)[]) => used.map((usedMilli, index) => ({ index, model: null, usedMilli }))
export const gpu = (index: number, milli = 1_000): Grants => ({ gpu: [{ index, milli }] })
export const pins = (cell: number, pinned: readonly number[], more: object = {}): Grants => ({
  numa: [{ guest: 0, cell, cpus: 0, memoryMb: 0, pinned, ...more }],
})
export const cell = (id: number, more: object = {}) => ({
  id,
  cpuset: [0, 1, 2, 3, 4, 5, 6, 7].map((cpu) => 8 * id + cpu),
  memoryMb: 8_192,
  cpuUsage: 0,
  memoryUsageMb: 0,
  pinnedCpus: [] as number[],
  ...more,
})
export const pool = (numaNode: number, total: number, used: number | null, productId = 'p') => ({
  vendorId: 'v',
  productId,
  numaNode,
  total,
  used,
})
