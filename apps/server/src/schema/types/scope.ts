import { scopes } from '../../auth/caller.ts'
import { builder } from '../builder.ts'

export const Scope = builder.enumType('Scope', {
  description: 'The scope of a key; each is a task. ADMIN includes all others.',
  values: scopes,
})
