import { expect, test } from 'vitest'
import { openOverlay } from '../fleet/overlay.ts'
import { fleetSet, novaReport, set } from '../hosts/testing/allocation.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import { type Change, FEATURE_LEVEL } from '../records/change.ts'
import type { Profile } from '../records/profile.ts'
import { aLog, aReport, aRequest } from '../testing/index.ts'
import { LIMITS_WITH_RESERVES } from '../values/levels.ts'
import { decide } from './decide.ts'

// Nova's compute service compares the limits of an answer with its own figures, which count reserved amounts as used, and refuses an
// instance that exceeds them. So a limit has to leave as much above Nova's figure as the service counts as free.

const profileNamed = (name: string): Profile => {
  const profile = builtInProfiles.find((known) => known.name === name)
  if (profile === undefined) throw new Error(`no profile ${name}`)
  return profile
}

/** The limits of the host in an answer for a small instance. Undefined if the host does not take it. */
function limitsOf(changes: readonly Change[], { level = FEATURE_LEVEL, profile = 'default' } = {}) {
  const log = aLog()
  const codes = log.append([{ type: 'feature', level }, ...changes])
  expect(codes.filter((code) => code !== undefined)).toEqual([])
  const overlay = openOverlay(log.fleet)
  try {
    const { answer } = decide(log.fleet, overlay, {
      ...{ id: 'd', seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c'], intent: 'CREATE' },
      request: aRequest({ flavor: { vcpus: 1, memoryMb: 64, rootGb: 1 } }),
      profile: profileNamed(profile),
    })
    return { limits: answer[0]?.selected.limits, free: (name: string) => log.fleet.hosts.classColumns(name).free[0] }
  } finally {
    overlay.discard()
  }
}

const used = { vcpus_used: 3, memory_mb_used: 2_024, local_gb_used: 11 }
const reserving = fleetSet({
  classes: { VCPU: { ratio: 2, reserved: 1 }, MEMORY_MB: { reserved: 512 }, DISK_GB: { reserved: 4, reservedInUse: 3 } },
})
const inventories = { MEMORY_MB: { total: 8_192, reserved: 1_000, allocation_ratio: 1.5 }, VCPU: { total: 8, allocation_ratio: 3 } }

test.each<readonly [string, readonly Change[]]>([
  ['no reserve', [novaReport('h1', used)]],
  ["Nova's default reserve and ratios", [novaReport('h1', used), fleetSet({ release: 26 })]],
  ['a reserve of which the figures count a part', [novaReport('h1', used), reserving]],
  ['a reserve that an operator set for the host', [novaReport('h1', used), reserving, set({ resourceClass: 'MEMORY_MB', reserved: 700 })]],
  ['inventories of Placement, one of which states a reserve', [novaReport('h1', used, 1, { inventories }), reserving]],
])('%s: what the limits leave above the figures of Nova is what the service counts as free', (_what, changes) => {
  for (const profile of ['default', 'nova-compat']) {
    const { limits, free } = limitsOf(changes, { profile })
    expect(limits).toEqual({
      VCPU: used.vcpus_used + (free('VCPU') ?? 0),
      MEMORY_MB: used.memory_mb_used + (free('MEMORY_MB') ?? 0),
      DISK_GB: used.local_gb_used + (free('DISK_GB') ?? 0),
    })
  }
})

test('if the usage of a host is computed from its claims, the limits are for the figures of Nova too', () => {
  const fromClaims: Change = { type: 'usedFrom', host: 'h1', node: 'h1', usedFrom: 'CLAIMS', reason: 'test' }
  expect(limitsOf([novaReport('h1', used), reserving, fromClaims]).limits).toEqual(limitsOf([novaReport('h1', used), reserving]).limits)
})

test('the limits of a host that reports in the form of this service are its capacity', () => {
  const machine = { vcpus: 8, memoryMb: 8_192, localGb: 100 }
  const { limits } = limitsOf([aReport('h1', machine), reserving, set({ resourceClass: 'MEMORY_MB', reserved: 700 })])
  expect(limits).toEqual({ VCPU: 8, MEMORY_MB: 7_492, DISK_GB: 100 })
})

test('below the feature level the limits are the capacity, as recorded decisions have them', () => {
  const { limits } = limitsOf([novaReport('h1', used), reserving], { level: LIMITS_WITH_RESERVES - 1 })
  expect(limits).toEqual({ VCPU: 14, MEMORY_MB: 7_680, DISK_GB: 96 })
})
