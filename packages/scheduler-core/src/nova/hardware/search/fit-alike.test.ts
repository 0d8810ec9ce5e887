import { expect, test } from 'vitest'
import { aGuest, aGuestCell, aHost, aHostCell, numbers } from '../testing.ts'
import { createFitter } from './fit-alike.ts'
import { fitGuest } from './fit-guest.ts'

const limits = { cpuAllocationRatio: 1, ramAllocationRatio: 1 }
const host = (memoryUsage: number) => aHost(...numbers(4).map((id) => aHostCell(id, { memoryUsage: id === 0 ? memoryUsage : 0 })))

test.each([1, 3, 4])('for a guest of %i cells, createFitter gives the results of fitGuest, on equal and on different hosts', (size) => {
  const guest = aGuest(numbers(size).map((id) => aGuestCell(id, { memory: 4_000 })))
  const fit = createFitter(guest)
  for (const used of [0, 0, 200, 0, 200, 50]) {
    const [known, anew] = [fit(host(used), { limits }), fitGuest(host(used), guest, { limits })]
    expect([known.ok, known.steps]).toEqual([anew.ok, anew.steps])
    expect(known.ok ? known.guest : known.why()).toEqual(anew.ok ? anew.guest : anew.why())
  }
})

test('hosts that differ only in their allocation ratio do not share a cached result', () => {
  const guest = aGuest(numbers(3).map((id) => aGuestCell(id, { memory: 4_000 })))
  const fit = createFitter(guest)
  for (const ramAllocationRatio of [0.5, 1, Number.NaN, Number.POSITIVE_INFINITY, 0.5]) {
    const options = { limits: { ...limits, ramAllocationRatio } }
    expect(fit(host(0), options).ok).toBe(fitGuest(host(0), guest, options).ok)
  }
})
