import SchemaBuilder from '@pothos/core'
import RelayPlugin from '@pothos/plugin-relay'
import ScopeAuthPlugin from '@pothos/plugin-scope-auth'
import { mayDo, type Scope, tellScopes } from '../auth/caller.ts'
import type { Moment } from '../services/moments.ts'
import type { PackedArray } from '../services/packed.ts'
import type { Context } from './context.ts'
import { fault } from './faults.ts'
import { decodeId, encodeId } from './ids.ts'
import { type ScalarName, scalarConfig, scalarRules } from './scalars.ts'
import { scopeOf } from './scope-of.ts'

type Both<Value> = { Input: Value; Output: Value }

/** Default deny: a field of Query, Mutation or Subscription without a scope keeps the schema from being built (index.ts). */
export const builder = new SchemaBuilder<{
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
        `The key ${caller.name} may not use ${fieldName}: ${tellScopes(caller, needed === undefined ? [] : [needed])}.`,
      )
    },
  },
  relay: {
    encodeGlobalID: encodeId,
    decodeGlobalID: decodeId,
    brandLoadedObjects: true,
    nodeTypeOptions: { description: 'Anything with a global id.' },
    idFieldOptions: { description: 'Global id.' },
    nodeQueryOptions: {
      authScopes: { scope: 'READ' },
      description: 'Whatever has this global id; null when it is not there.',
      args: { id: { description: 'A global id.' } },
    },
    nodesQueryOptions: {
      authScopes: { scope: 'READ' },
      description: 'Like node, for many ids; answer i is for id i.',
      args: { ids: { description: 'Global ids.' } },
    },
    hasNextPageFieldOptions: { description: 'Whether more follows.' },
    hasPreviousPageFieldOptions: { description: 'Whether something comes before.' },
    startCursorFieldOptions: { description: 'Cursor of the first item; null on an empty page.' },
    endCursorFieldOptions: { description: 'Cursor of the last item: give it as `after`.' },
    pageInfoTypeOptions: { description: 'Where a page lies in its list.' },
  },
})

for (const name of Object.keys(scalarRules) as ScalarName[]) builder.scalarType(name, scalarConfig(scalarRules[name] as never) as never)

builder.queryType({ description: 'What is known. Live things come from this replica, records from the tables behind it.' })
builder.mutationType({ description: 'What changes the fleet. Expected ends are types of the answer, never errors.' })
builder.subscriptionType({ description: 'Changes as they happen, over server-sent events.' })
