import { scopes } from '../../auth/caller.ts'
import { builder } from '../builder.ts'

export const Scope = builder.enumType('Scope', {
  description: 'What a key may do. Each scope allows one kind of calls, and ADMIN includes all other scopes.',
  values: scopes,
})
