import { expect } from 'vitest'
import { type Change, FEATURE_LEVEL } from '../../records/change.ts'
import { type Claim, isLive } from '../../records/claim.ts'
import { aClaim, aLog, aReport, type ClaimShape, type HostShape } from '../../testing/index.ts'

export type Size = readonly [vcpus: number, memoryMb: number, localGb: number]

export const ROOM = { vcpus: 10_000, memoryMb: 1_000_000, localGb: 100_000 }
const CLASSES = ['VCPU', 'MEMORY_MB', 'DISK_GB'] as const
export const S: Size = [2, 2_048, 20]
export const M: Size = [4, 4_096, 40]
/** The size of an instance that is on the host from the start. */
export const OLD: Size = [2, 2_048, 20]

export const plus = (...sizes: readonly Size[]): Size =>
  sizes.reduce<Size>((sum, size) => [sum[0] + size[0], sum[1] + size[1], sum[2] + size[2]], [0, 0, 0])

/** `isPlain`: the reservation does not end when its host counts the instance. */
export type Reserved = ClaimShape & { readonly isPlain?: true }

/** The calls that end a reservation before its time, and the call after which a release ends it. */
export const byHand = ['release', 'revoke', 'abandon', 'confirm'] as const

/** A host h1 that does not list its instances, in a log. */
export function aNovaHost(level = FEATURE_LEVEL) {
  const log = aLog()
  let sequence = 0
  const append = (change: Change, afterMs = 1): string | undefined => log.append([change], { at: log.fleet.now + afterMs })[0]
  const report = ([vcpusUsed, memoryMbUsed, localGbUsed]: Size, runningVms: number, shape: HostShape = {}): void => {
    const figures = { ...ROOM, vcpusUsed, memoryMbUsed, localGbUsed, runningVms, instances: null, ...shape }
    expect(append(aReport('h1', figures, ++sequence))).toBeUndefined()
  }
  const reserve = (key: string, [VCPU, MEMORY_MB, DISK_GB]: Size, shape: Reserved = {}): void => {
    const grants = { classes: { VCPU, MEMORY_MB, ...(DISK_GB > 0 && { DISK_GB }) } }
    expect(
      append(aClaim({ key, ids: [key], hosts: ['h1'], grants, ...shape, ...(shape.isPlain !== true && { untilCounted: true as const }) })),
    ).toBeUndefined()
  }
  append({ type: 'feature', level })
  return {
    log,
    append,
    report,
    reserve,
    /** What counts as used or promised on the host. */
    held(): Size {
      const { hosts } = log.fleet
      const index = hosts.find({ host: 'h1', node: 'h1' })?.index ?? 0
      const [vcpus = 0, memory = 0, disk = 0] = CLASSES.map((name) => hosts.classColumns(name).free[index] ?? 0)
      return [ROOM.vcpus - vcpus, ROOM.memoryMb - memory, ROOM.localGb - disk]
    },
    live: (): readonly string[] => [...log.fleet.ledger.claims.values()].filter(isLive).map(({ id }) => id),
    /** The reservations that expire by time, and the ended claims whose amounts stay held until a time. */
    lapsing: (): readonly string[] => [...log.fleet.ledger.lapsing.keys()],
    /** How many instances count on the host. */
    instances(): number {
      const { hosts } = log.fleet
      return hosts.columns.instances[hosts.find({ host: 'h1', node: 'h1' })?.index ?? 0] ?? 0
    },
    claim: (id: string): Claim | undefined => log.fleet.ledger.claims.get(id),
    call(how: (typeof byHand)[number], claim: string): void {
      const fence = log.fleet.ledger.claims.get(claim)?.fence ?? 0
      const change: Change =
        how === 'confirm'
          ? { type: how, claim, fence }
          : how === 'abandon'
            ? { type: how, account: 'acme', key: claim }
            : how === 'revoke'
              ? { type: how, claim, reason: 'test' }
              : { type: how, claim, fence, reason: null }
      expect(append(change)).toBeUndefined()
    },
  }
}
