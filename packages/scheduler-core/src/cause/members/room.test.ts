import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { draws } from '../../../../../testing/extent.ts'
import { builtInProfiles } from '../../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import type { Profile } from '../../records/profile.ts'
import { aLog, aReport, aRequest, aUuid } from '../../testing/index.ts'
import { causeOf } from '../cause.ts'
import { causeText } from '../cause-text.ts'
import { refusal } from '../testing/arbitraries.suite.ts'
import { causeIn, fleetOf, foundOf, type HostDrawn } from '../testing/drawn.ts'

const profile = builtInProfiles.find(({ name }) => name === 'default') as Profile
const whole = (count: number) => Array.from({ length: count }, (_, index) => ({ index, model: 'H100', usedMilli: 0 }))

/** The cause for the first of the instances that finds no host. */
function causeWith(shapes: Readonly<Record<string, object>>, asks: Parameters<typeof aRequest>[0], found = 0) {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...Object.entries(shapes).map(([name, shape]) => aReport(name, shape))])
  return causeOf(log.fleet, aRequest(asks), profile, found)
}

const large = { vcpus: 64, memoryMb: 262_144, localGb: 1_000 }
const small = { vcpus: 1, memoryMb: 64 }

const emptied = ({ shape, ...host }: HostDrawn): HostDrawn => {
  const gpus = (shape.gpus ?? []).map((gpu) => ({ ...gpu, usedMilli: 0 }))
  return { ...host, isMember: false, isHome: false, shape: { ...shape, vcpusUsed: 0, memoryMbUsed: 0, localGbUsed: 0, gpus } }
}

describe('a cause names how many instances the admitted hosts can take at most', () => {
  test.each<[string, Record<string, object>, Parameters<typeof aRequest>[0], { most: number; asked: number } | null]>([
    [
      'GPUs in use',
      { a: { ...large, gpus: whole(8).map((gpu) => ({ ...gpu, usedMilli: 1_000 })) }, b: { ...large, gpus: whole(9) } },
      { ...small, numInstances: 40, gpus: { count: 8 } },
      { most: 2, asked: 40 },
    ],
    [
      'shares of GPUs',
      { a: { ...large, gpus: whole(2).map((gpu) => ({ ...gpu, usedMilli: 900 })) } },
      { ...small, numInstances: 9, gpus: { count: 1, shareMilli: 300 } },
      { most: 6, asked: 9 },
    ],
    [
      'GPUs of another model are not counted',
      { a: { ...large, gpus: [...whole(1), { index: 1, model: 'L4', usedMilli: 0 }].map((gpu) => ({ ...gpu, usedMilli: 1_000 })) } },
      { ...small, numInstances: 2, gpus: { count: 1, models: ['H100'] } },
      { most: 1, asked: 2 },
    ],
    ['memory', { a: { ...large, memoryMbUsed: 262_144 } }, { vcpus: 1, memoryMb: 100_000, numInstances: 3 }, { most: 2, asked: 3 }],
    ['exactly enough room', { a: { ...large, memoryMbUsed: 262_144 } }, { vcpus: 1, memoryMb: 131_072, numInstances: 2 }, null],
    ['too small for a single instance', { a: large }, { vcpus: 65, memoryMb: 64, numInstances: 2 }, null],
    ['one instance', { a: { ...large, memoryMbUsed: 262_144 } }, { vcpus: 1, memoryMb: 64 }, null],
    [
      'hosts that the request does not admit are not counted',
      { a: { ...large, vcpus: 2, vcpusUsed: 2 }, b: large },
      { ...small, numInstances: 3, forceHosts: ['a'] },
      { most: 2, asked: 3 },
    ],
  ])('%s', (_name, shapes, asks, room) => {
    expect(causeWith(shapes, asks).room).toEqual(room && { ...room, kind: null, isPart: false })
  })

  test('the sentence names the hosts, the bound, and the count of the instances', () => {
    const busy = { ...large, gpus: whole(8).map((gpu) => ({ ...gpu, usedMilli: 1_000 })) }
    const asks = { ...small, numInstances: 40, gpus: { count: 8 } }
    expect(causeText(causeWith({ a: busy, b: busy }, asks))).toContain(
      ' Even with nothing else on them, these 2 hosts could take at most 2 of the 40 instances. Nearest is a: ',
    )
    expect(causeText(causeWith({ a: busy }, asks))).toContain(
      ' Even with nothing else on it, this host could take at most 1 of the 40 instances. a: ',
    )
  })

  test('a group whose members need different hosts gets the count of hosts instead', () => {
    const asks = { vcpus: 40, memoryMb: 64, numInstances: 3, instanceGroup: { uuid: aUuid(9), policy: 'ANTI_AFFINITY' as const } }
    expect(causeWith({ a: { ...large, vcpusUsed: 64 } }, asks)).toMatchObject({ tooFew: { there: 1 }, room: null })
  })

  test('the sentence says that the request has further instances of other kinds', () => {
    const gang = [{ name: 'web', instances: 2, flavor: { vcpus: 1, memoryMb: 64 } }]
    const cause = causeWith({ a: { ...large, vcpusUsed: 64 } }, { flavor: { vcpus: 30, memoryMb: 64 }, numInstances: 5, gang })
    expect(cause.room).toEqual({ most: 2, asked: 3, kind: null, isPart: true })
    expect(causeText(cause)).toContain('this host could take at most 2 of the 3 instances of this kind.')
  })

  test('law: at most the named count of instances is placed, even with nothing else on the hosts', () => {
    let bounds = 0
    fc.assert(
      fc.property(refusal, ({ hosts, asked, profile: drawn }) => {
        const { room } = causeIn(fleetOf(hosts), asked, drawn)
        if (room === null) return
        bounds++
        expect(foundOf(fleetOf(hosts.map(emptied)), asked, drawn)).toBeLessThanOrEqual(room.most)
      }),
      draws(60, 300, 10_000),
    )
    expect(bounds).toBeGreaterThan(0)
  })
})
