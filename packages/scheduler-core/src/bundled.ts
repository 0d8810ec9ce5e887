import { registerBuiltIn } from './contracts/built-in.ts'
import { nameableFilters } from './filters/index.ts'
import { nova } from './nova/built-in.ts'
import { nameableWeighers } from './weighers/index.ts'

// Registers Nova's filters and weighers with the core. Every entry point of the core imports this file. No other file outside of nova/
// imports from nova/.
registerBuiltIn(nova)

/** Every filter that a profile can name without a plug-in. */
export const filters = nameableFilters()
export const weighers = nameableWeighers()
