import { setFlagsFromString } from 'node:v8'
import { runInThisContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { openOverlay } from '../fleet/overlay.ts'
import { forInstances } from '../request/for-instances.ts'
import { aClaim, aLog, aReport, aRequest, aUuid } from '../testing/index.ts'
import { decide } from './decide.ts'

/*
 * V8 describes the fields of an object by its hidden class, which objects that are created by the same code share. An object literal that
 * begins with a copy of another object and then adds fields is an exception: each such object gets hidden classes of its own, which take
 * more time and memory than the object, and which only a collection of the whole heap removes. A call made 40 of them before this test.
 */

setFlagsFromString('--allow-natives-syntax')
const haveSameMap = runInThisContext('(one, other) => %HaveSameMap(one, other)') as (one: object, other: object) => boolean

/** V8 creates separate hidden classes only after code ran a few times. */
const WARM_UP = 50

function placedTwice() {
  const log = aLog()
  log.append(Array.from({ length: 20 }, (_, i) => aReport(`h${i}`, { vcpus: 512, memoryMb: 512_000, localGb: 10_000 })))
  const profile = log.fleet.profiles.pick('default', 'a', 'k')
  if (profile === undefined) throw new Error('a fleet has the profile default')
  const first = aRequest({ instanceUuids: [aUuid(1)] })
  const place = (count: number) => {
    const request = forInstances(first, [aUuid(count)])
    const overlay = openOverlay(log.fleet)
    try {
      return decide(log.fleet, overlay, {
        ...{ id: `d${count}`, request, profile, seed: 's', attempt: 1, alternatesPerInstance: 2, allOrNothing: true },
        claimIds: [aUuid(10_000 + count)],
      })
    } finally {
      overlay.discard()
    }
  }
  for (let count = 2; count < WARM_UP; count++) place(count)
  return [place(WARM_UP), place(WARM_UP + 1)] as const
}

describe('objects of two decisions share their hidden classes:', () => {
  const [one, other] = placedTwice()
  test.each<[string, (decided: typeof one) => object | undefined]>([
    ['the decision', (decided) => decided],
    ['the record', ({ record }) => record],
    ['the request', ({ record }) => record.request],
    ['the record of an instance', ({ record }) => record.instances[0]],
    ['a host among the best', ({ record }) => record.instances[0]?.best[0]],
    ['the count of a filter', ({ record }) => record.instances[0]?.filters[0]],
    ['the part of a claim', ({ parts }) => parts[0]],
    ['the grants', ({ parts }) => parts[0]?.grants],
    ['the answer', ({ answer }) => answer[0]],
    ['the selected host', ({ answer }) => answer[0]?.selected],
    ['an alternate', ({ answer }) => answer[0]?.alternates[0]],
    ['limits', ({ answer }) => answer[0]?.selected.limits],
  ])('%s', (_name, objectOf) => {
    const [first, second] = [objectOf(one), objectOf(other)]
    if (first === undefined || second === undefined) throw new Error('both decisions must have the object')
    expect(haveSameMap(first, second)).toBe(true)
  })
})

test('claims share their hidden class', () => {
  const log = aLog()
  log.append([aReport('h1', { vcpus: 512, memoryMb: 512_000, localGb: 10_000 })])
  for (let count = 0; count < WARM_UP; count++) log.append([aClaim({ key: `k${count}` })])
  const claims = [...log.fleet.ledger.claims.values()]
  expect(claims).toHaveLength(WARM_UP)
  expect(haveSameMap(claims[WARM_UP - 2] as object, claims[WARM_UP - 1] as object)).toBe(true)
})

test('the comparison finds objects that begin with a copy and add fields', () => {
  const part = (host: string) => ({ host })
  const extended = (host: string) => ({ ...part(host), weight: 1 })
  const objects = Array.from({ length: WARM_UP }, (_, i) => extended(`h${i}`))
  expect(haveSameMap(objects[WARM_UP - 2] as object, objects[WARM_UP - 1] as object)).toBe(false)
})
