import { type DocumentNode, type GraphQLError, type GraphQLSchema, Kind, TypeInfo, visit, visitWithTypeInfo } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { type Caller, describeScopes, type Scope } from '../../auth/caller.ts'
import { type FieldUse, missingScopes, refusedField } from '../../auth/field-rules.ts'
import type { Context } from '../../schema/context.ts'
import { fault } from '../../schema/types/faults.ts'
import { scopeOf } from '../../schema/types/scope-of.ts'
import type { Call } from './call.ts'

/** Refuses documents with a field that the caller may not select, on any path, before anything runs. */
export function useFieldRules(): Plugin<Context, Call> {
  const check: Plugin<Context, Call>['onExecute'] = ({ args, setResultAndStopExecution }) => {
    const { schema, document, contextValue } = args
    const refusal = refusalOf(schema, document, (contextValue as Context).caller)
    if (refusal !== undefined) setResultAndStopExecution({ errors: [refusal] })
  }
  return { onExecute: check, onSubscribe: check as never }
}

/** The error of a document with a field that the caller may not select; undefined if it may select all of them. */
export function refusalOf(schema: GraphQLSchema, document: DocumentNode, caller: Caller): GraphQLError | undefined {
  const uses = fieldsOf(schema, document)
  const refused = refusedField(caller, uses)
  return refused === undefined ? undefined : refusal(caller, refused, missingScopes(caller, uses))
}

function refusal(caller: Caller, { type, field }: FieldUse, missing: readonly Scope[]) {
  const bound = caller.hosts.length > 0 ? 'it is bound to host names' : caller.project !== null ? 'it is bound to a project' : undefined
  const why = bound ?? describeScopes(caller, missing)
  const instead = caller.project !== null && EXPLAINS.has(`${type}.${field}`) ? ' Such a key may read tenantExplanation.' : ''
  return fault('FORBIDDEN', `The key ${caller.name} may not ask for ${type}.${field}: ${why}.${instead}`)
}

/** Fields for operators. A caller with a project reads tenantExplanation instead. */
const EXPLAINS: ReadonlySet<string> = new Set(
  ['explanation', 'reasons', 'funnel', 'hostCount']
    .map((field) => `Decision.${field}`)
    .concat(['Query.explainPlacement', 'Query.whyNot', 'Query.whatWouldFit', 'NoValidHost.reasons']),
)

/** Documents are cached, so the fields are computed once for each document. */
const known = new WeakMap<DocumentNode, readonly FieldUse[]>()

/** Every field that a document selects, in all its operations. The caller must be allowed to run all of them. */
function fieldsOf(schema: GraphQLSchema, document: DocumentNode): readonly FieldUse[] {
  const found = known.get(document)
  if (found !== undefined) return found
  const uses = new Map<string, FieldUse>()
  const types = new TypeInfo(schema)
  visit(
    document,
    visitWithTypeInfo(types, {
      // arguments select no fields, and their values can be most of the document
      [Kind.ARGUMENT]: () => false,
      [Kind.VARIABLE_DEFINITION]: () => false,
      [Kind.FIELD]({ name: { value: field } }) {
        const type = types.getParentType()?.name
        if (type !== undefined && !field.startsWith('__'))
          uses.set(`${type}.${field}`, { type, field, scope: scopeOf(types.getFieldDef()) })
      },
    }),
  )
  // the fields of introspection describe the schema, which every key may read
  const fields = [...uses.values()].filter(({ type }) => !type.startsWith('__'))
  known.set(document, fields)
  return fields
}
