import fc from 'fast-check'
import { type RealAction, type RealSetting, realActions } from './real-hosts.ts'

const number = fc.nat({ max: 99 })

/** How drawn hosts behave. */
export const realSettings: fc.Arbitrary<RealSetting> = fc.record({
  strangers: fc.nat({ max: 2 }),
  lists: fc.constantFrom('always', 'always', 'never', 'mixed'),
})

/** What happens on drawn hosts, one action after the other. */
export const realHistories: fc.Arbitrary<RealAction[]> = fc.array(
  fc.record({ what: fc.constantFrom(...realActions), a: number, b: number, c: number }),
  { minLength: 1, maxLength: 40, size: 'max' },
)
