import type { GraphQLSchema } from 'graphql'
import { builder } from './builder.ts'
import { countAnswers } from './types/answer-size.ts'
import { auditMutations } from './types/audited.ts'
import { pauseInLongLists } from './types/long-lists.ts'
import { authScopesOf } from './types/scope-of.ts'

/** The schema of every noun that is loaded. Throws when a field of a root type names no scope: nothing is open by omission. Every mutation is put into the audit. */
export function createSchema(): GraphQLSchema {
  const schema = builder.toSchema()
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()])
    for (const field of Object.values(root?.getFields() ?? {}))
      if (authScopesOf(field) === undefined) throw new Error(`${root?.name}.${field.name} names no scope`)
  auditMutations(schema)
  countAnswers(schema)
  pauseInLongLists(schema)
  return schema
}
