import { scopes } from '../auth/caller.ts'
import { builder } from './builder.ts'

export const Scope = builder.enumType('Scope', {
  description: 'What a key may do; each is a task. ADMIN may do everything.',
  values: scopes,
})
