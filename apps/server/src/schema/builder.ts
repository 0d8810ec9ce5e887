import SchemaBuilder from '@pothos/core'
import RelayPlugin from '@pothos/plugin-relay'
import ScopeAuthPlugin from '@pothos/plugin-scope-auth'
import { describeScopes, mayDo, type Scope } from '../auth/caller.ts'
import type { PackedArray } from '../services/calls/packed.ts'
import type { Moment } from '../services/moments/moments.ts'
import type { Context } from './context.ts'
import { fault } from './types/faults.ts'
import { decodeId, encodeId } from './types/ids.ts'
import { type ScalarName, scalarConfig, scalarRules } from './types/scalars.ts'
import { scopeOf } from './types/scope-of.ts'

type Both<Value> = { Input: Value; Output: Value }

/** An empty schema builder with the scalars and the rules that all types share. */
export function newBuilder() {
  const made = new SchemaBuilder<{
    Context: Context
    DefaultFieldNullability: false
    AuthScopes: { scope: Scope }
    Scalars: {
      ID: { Input: string; Output: string }
      DateTime: Both<number>
      Duration: Both<number>
      SafeInt: Both<number>
      UUID: Both<string>
      PageSize: Both<number | string>
      Revision: Both<number>
      Moment: Both<Moment>
      PackedColumn: { Input: never; Output: PackedArray }
      JSON: Both<unknown>
    }
  }>({
    plugins: [ScopeAuthPlugin, RelayPlugin],
    defaultFieldNullability: false,
    scopeAuth: {
      authorizeOnSubscribe: true,
      authScopes: ({ caller }) => ({ scope: (scope) => mayDo(caller, scope) }),
      unauthorizedError: (_parent, { caller }, { fieldName, parentType }) => {
        const needed = scopeOf(parentType.getFields()[fieldName])
        return fault(
          'FORBIDDEN',
          `The key ${caller.name} may not use ${fieldName}: ${describeScopes(caller, needed === undefined ? [] : [needed])}.`,
        )
      },
    },
    relay: {
      encodeGlobalID: encodeId,
      decodeGlobalID: decodeId,
      brandLoadedObjects: true,
      nodeTypeOptions: { description: 'An object with a global id.' },
      idFieldOptions: { description: 'Global id of the object.' },
      nodeQueryOptions: {
        authScopes: { scope: 'READ' },
        description: 'The object with this global id; null if no object has it.',
        args: { id: { description: 'Global id of the object.' } },
      },
      nodesQueryOptions: {
        authScopes: { scope: 'READ' },
        description: 'The objects with these global ids, in the order of the ids; null for an id that no object has.',
        args: { ids: { description: 'Global ids of the objects.' } },
      },
      hasNextPageFieldOptions: { description: 'True if there are items after this page.' },
      hasPreviousPageFieldOptions: { description: 'True if there are items before this page.' },
      startCursorFieldOptions: { description: 'The cursor of the first item; null for an empty page.' },
      endCursorFieldOptions: {
        description: 'The cursor of the last item. Pass it as `after` to get the next page. Null for an empty page.',
      },
      pageInfoTypeOptions: { description: 'The cursors at both ends of a page, and whether further items exist before and after it.' },
    },
  })

  for (const name of Object.keys(scalarRules) as ScalarName[]) made.scalarType(name, scalarConfig(scalarRules[name] as never) as never)

  made.queryType({
    description: "Reads the service's data. Live objects are read from this replica's memory, and records from its database.",
  })
  made.mutationType({ description: 'Changes the fleet. Expected failures are types of the answer, not errors.' })
  made.subscriptionType({ description: 'Streams changes as they happen, over server-sent events.' })
  return made
}

/**
 * Everything is denied by default: createSchema (schema.ts) throws if a field of Query, Mutation or Subscription has no authorisation rule.
 */
export const builder = newBuilder()
