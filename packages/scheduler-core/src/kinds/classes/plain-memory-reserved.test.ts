import { expect, test } from 'vitest'
import { causeText } from '../../cause/cause-text.ts'
import { causeIn, foundOf, profiles } from '../../cause/testing/drawn.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import { aLog, aReport, aRequest } from '../../testing/index.ts'

const RESERVED = 3_000
const HUGE_MIB = 2_048

/** A fleet with one host. Of its memory, 3000 MiB are reserved and 2048 MiB are in huge pages. */
function fleetOf(memoryMb: number) {
  const pages = [
    { sizeKib: 4, total: (memoryMb - HUGE_MIB) * 256 },
    { sizeKib: 2_048, total: HUGE_MIB / 2 },
  ]
  const numaCells = [{ id: 0, cpuset: [0, 1, 2, 3], memoryMb, pages }]
  const inventories = [{ resourceClass: 'MEMORY_MB', total: memoryMb, reserved: RESERVED }]
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h0', { vcpus: 8, memoryMb, localGb: 100, inventories, numaCells })])
  return log.fleet
}

test.each(profiles.map((profile) => [profile.name, profile] as const))(
  'if huge pages and reserved memory together exceed the total, the reason has the reserved and the missing amount, by profile %s',
  (_name, profile) => {
    const request = aRequest({ memoryMb: 500 })
    const cause = causeIn(fleetOf(4_096), request, profile)
    expect(cause.code).toBe('memory.huge_pages')
    // total 4096 - reserved 3000 - huge pages 2048 = -952 MiB
    expect(causeText(cause)).toMatch(
      /500 MiB needed outside of .*, 0 MiB free there; over-full by 952 MiB; 3000 of its 4096 MiB are reserved/,
    )
    expect(foundOf(fleetOf(4_096 + 952 + 499), request, profile)).toBe(0)
    expect(foundOf(fleetOf(4_096 + 952 + 500), request, profile)).toBe(1)
  },
)
