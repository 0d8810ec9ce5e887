import { expect, test } from 'vitest'
import { builtInProfiles } from '../../profiles/built-in.ts'
import type { Profile } from '../../records/profile.ts'
import { aFleet, aRequest } from '../../testing/index.ts'
import { NO_EDITS } from '../edits.ts'
import { tryOn } from './trial.ts'

test('if a trial fails, the search for further changes yields once for each host', () => {
  const names = Array.from({ length: 90 }, (_, i) => `h${i}`)
  const fleet = aFleet(Object.fromEntries(names.map((name) => [name, { memoryMb: 1_024 }])))
  const profile = builtInProfiles.find(({ name }) => name === 'default') as Profile
  const pausesFor = (count: number) => {
    const hosts = names.slice(0, count).map((name) => ({ host: name, node: name }))
    const request = aRequest({ memoryMb: 4_096, forceHosts: names })
    const steps = tryOn(fleet, 's', { given: request, request, profile, edits: NO_EDITS, filters: undefined }, hosts, 0)
    for (let pauses = 0; ; pauses++) {
      const step = steps.next()
      if (step.done) return { pauses, next: step.value.next.length }
    }
  }
  const [one, all] = [pausesFor(1), pausesFor(90)]
  expect([one.next, all.next]).toEqual([1, 90])
  expect(all.pauses - one.pauses).toBe(89)
})
