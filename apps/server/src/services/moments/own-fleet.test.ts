import { Fleet } from '@gantt/scheduler-core'
import { expect, test } from 'vitest'
import { CallerGoneError } from '../../event-loop/caller-gone.ts'
import { callSubscribes, duringCall } from '../../event-loop/query.ts'
import { createOwnFleet, type OwnFleet } from './own-fleet.ts'

const asked = new AbortController().signal

test('a fleet is given back when the call is answered, after the functions that use it, and cannot be used afterwards', async () => {
  const fleet = new Fleet()
  const order: unknown[] = []
  let own: OwnFleet | undefined
  await duringCall(asked, async () => {
    own = createOwnFleet(
      () => fleet,
      (back) => order.push(back === fleet ? 'given back' : 'another fleet'),
    )
    // the call does not wait for this function
    void own.work(function* () {
      for (let i = 0; i < 3; i++) yield
      order.push('used')
    })
  })
  await expect.poll(() => order).toEqual(['used', 'given back'])
  await expect(own?.read(() => 1)).rejects.toThrow(CallerGoneError)
})

test('a fleet that was not made, or could not be made, is not given back', async () => {
  let backs = 0
  const giveBack = () => void backs++
  await duringCall(asked, async () => {
    createOwnFleet(() => new Fleet(), giveBack)
    const broken = createOwnFleet(() => Promise.reject(new RangeError('trimmed')), giveBack)
    await expect(broken.read(() => 1)).rejects.toThrow('trimmed')
  })
  await new Promise((resolve) => void setImmediate(resolve))
  expect(backs).toBe(0)
})

test('outside of a call, a fleet can be used at any time', async () => {
  const own = createOwnFleet(
    () => new Fleet(),
    () => {
      throw new Error('no call has ended')
    },
  )
  expect(await own.read(({ hosts }) => hosts.count)).toBe(0)
  expect(await own.read(({ hosts }) => hosts.count)).toBe(0)
})

test('a subscription keeps no list of the fleets of its events', async () => {
  let backs = 0
  let own: OwnFleet | undefined
  await duringCall(asked, async () => {
    callSubscribes()
    own = createOwnFleet(
      () => new Fleet(),
      () => void backs++,
    )
    await own.read(() => 1)
  })
  await new Promise((resolve) => void setImmediate(resolve))
  expect(backs).toBe(0)
  expect(await own?.read(() => 1)).toBe(1)
})
