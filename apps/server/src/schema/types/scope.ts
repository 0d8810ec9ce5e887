import { scopes } from '../../auth/caller.ts'
import { builder } from '../builder.ts'

export const Scope = builder.enumType('Scope', {
  description: 'What a key may do. Each scope stands for one task; ADMIN includes all others.',
  values: scopes,
})
