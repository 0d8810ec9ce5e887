import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { ENDED_AS_HELD } from '../../values/levels.ts'
import { realHistories, realSettings } from '../testing/real-histories.suite.ts'
import { type RealAction, RealHosts, type RealSetting } from '../testing/real-hosts.ts'

/** Runs the actions on simulated hosts. Returns a sentence for each amount that is allocated twice after an action. */
function promisedTwice(setting: RealSetting, actions: readonly RealAction[], level?: number): string[] {
  const hosts = new RealHosts(setting, level)
  return actions.flatMap((action) => {
    hosts.do(action)
    return hosts.promisedTwice()
  })
}

const law = (level?: number) =>
  fc.property(realSettings, realHistories, (setting, actions) => {
    const hosts = new RealHosts(setting, level)
    for (const action of actions) {
      hosts.do(action)
      expect(hosts.promisedTwice()).toEqual([])
    }
    expect(hosts.audited()).toEqual([])
  })

test('law: the sum of the used and free amounts of a simulated host never exceeds its total', () => {
  fc.assert(law(), { numRuns: byExtent(60, 400, 5_000) })
})

test('below feature level ENDED_AS_HELD the used and free amounts of a simulated host can exceed its total', () => {
  // Only one in a few hundred random histories violates the property `law`. One of the first histories of this seed violates it.
  expect(fc.check(law(ENDED_AS_HELD - 1), { seed: 31, numRuns: 8, endOnFailure: true }).failed).toBe(true)
})

describe('an instance runs on after its claim ended, and its next, larger claim on the host also ends before the next report', () => {
  const place = { what: 'place', a: 1, b: 0, c: 0 } as const
  const placeAgain = { what: 'place', a: 1, b: 0, c: 75 } as const
  const leave = { what: 'leave', a: 1, b: 0, c: 0 } as const
  const report = { what: 'report', a: 1, b: 0, c: 0 } as const
  const end = { what: 'end', a: 0, b: 0, c: 0 } as const

  test.each<readonly [string, readonly RealAction[]]>([
    ['an instance whose host left and was added again', [place, leave, placeAgain, end, place]],
    ['an instance that was released', [place, report, end, placeAgain, end, place]],
    [
      'an instance that had a reservation, which was resized',
      [place, leave, { ...placeAgain, c: 83 }, { what: 'move', a: 1, b: 44, c: 0 }, end, place],
    ],
    ['an instance that moved away and back', [place, report, { what: 'move', a: 0, b: 0, c: 0 }, { what: 'move', a: 1, b: 0, c: 75 }, end]],
  ])('%s: if no list shows it, nothing is allocated twice, because it is stopped before its second claim ends', (_case, actions) => {
    for (const lists of ['mixed', 'never'] as const) expect(promisedTwice({ strangers: 0, lists }, actions)).toEqual([])
  })

  test('if a report lists the instance, its new size stays held after its claim ends', () => {
    const setting = { strangers: 1, lists: 'always' } as const
    const actions = [place, leave, placeAgain, end]
    expect(promisedTwice(setting, actions)).toEqual([])
    expect(promisedTwice(setting, actions, ENDED_AS_HELD - 1)).not.toEqual([])
  })
})

test.each<readonly [string, readonly RealAction[]]>([
  ['after its claim ended', [{ what: 'end', a: 0, b: 0, c: 0 }]],
  ['after its host left the fleet and was added again', [{ what: 'leave', a: 0, b: 0, c: 0 }]],
])('an instance runs on %s, and its entry in the list does not materialise a later reservation', (_case, actions) => {
  const history: readonly RealAction[] = [
    { what: 'place', a: 0, b: 6, c: 0 },
    { what: 'report', a: 0, b: 0, c: 3 },
    ...actions,
    { what: 'place', a: 0, b: 0, c: 23 },
    { what: 'report', a: 0, b: 0, c: 3 },
    { what: 'resize', a: 0, b: 0, c: 39 },
  ]
  expect(promisedTwice({ strangers: 1, lists: 'always' }, history)).toEqual([])
})

test('after a resize in place to fewer units the auditor does not report the units that only the former claim held', () => {
  const hosts = new RealHosts({ strangers: 0, lists: 'never' })
  for (const action of [
    { what: 'place', a: 21, b: 0, c: 0 },
    { what: 'place', a: 13, b: 32, c: 0 },
    { what: 'move', a: 31, b: 96, c: 0 },
    { what: 'delta', a: 45, b: 0, c: 0 },
    { what: 'resize', a: 0, b: 15, c: 1 },
  ] as const)
    hosts.do(action)
  expect(hosts.audited()).toEqual([])
})

describe('on a host whose used amounts come from claims', () => {
  const place = { what: 'place', a: 0, b: 0, c: 0 } as const
  const report = { what: 'report', a: 0, b: 0, c: 0 } as const
  const usedFrom = { what: 'usedFrom', a: 0, b: 0, c: 0 } as const
  const end = { what: 'end', a: 0, b: 0, c: 0 } as const
  const setting = { strangers: 0, lists: 'always' } as const

  test('nothing is allocated twice if an instance without an id is stopped before its claim ends', () => {
    expect(promisedTwice(setting, [{ ...place, b: 5 }, report, usedFrom, end])).toEqual([])
  })

  test('the simulation does not switch a host to used amounts from claims while a reservation is smaller than its running instance', () => {
    expect(promisedTwice(setting, [place, { ...place, what: 'leave' }, { ...place, b: 22, c: 71 }, usedFrom])).toEqual([])
  })

  test('an ended claim of a listed instance holds its full size until a smaller reservation of that instance is confirmed', () => {
    const actions = [place, report, { ...place, what: 'resize', c: 3 } as const, usedFrom, end, { ...place, c: 23 }, report]
    expect(promisedTwice(setting, actions)).toEqual([])
    expect(promisedTwice(setting, actions, ENDED_AS_HELD - 1)).not.toEqual([])
  })
})
