import { registerBuiltIn } from './contracts/built-in.ts'
import { nameableFilters } from './filters/index.ts'
import { nova } from './nova/built-in.ts'
import { nameableWeighers } from './weighers/index.ts'

// The only file outside of nova/ that knows Nova: it puts the built-in package into the core. Every entry point of the core loads it.
registerBuiltIn(nova)

/** Every filter and weigher that a profile of the release may name. */
export const filters = nameableFilters()
export const weighers = nameableWeighers()
