import type { GraphQLSchema } from 'graphql'
import { builder } from './builder.ts'
import { countAnswers } from './types/answer-size.ts'
import { auditMutations } from './types/audited.ts'
import { pauseInLongLists } from './types/long-lists.ts'
import { authScopesOf } from './types/scope-of.ts'

/**
 * The schema of all loaded modules. Throws if a field of a root type has no scope. Otherwise a forgotten scope would make the field
 * accessible to everyone. Every mutation is recorded in the audit.
 */
export function createSchema(): GraphQLSchema {
  // the schema is not sorted, because sorting would take a third of the time, and only the test that prints the schema needs the order
  const schema = builder.toSchema({ sortSchema: false })
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()])
    for (const field of Object.values(root?.getFields() ?? {}))
      if (authScopesOf(field) === undefined) throw new Error(`${root?.name}.${field.name} names no scope`)
  auditMutations(schema)
  countAnswers(schema)
  pauseInLongLists(schema)
  return schema
}
