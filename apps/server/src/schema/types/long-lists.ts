import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  introspectionTypes,
  isCompositeType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { isInCall, pauseOfQuery } from '../../event-loop/query.ts'

/** Lists up to this length are completed without yielding. */
const SHORT = 8

/**
 * Lets other calls run while a long list of objects is resolved. The items of the list become promises that resolve one by one, with
 * pauses. Without the pauses, the executor would complete a list with synchronous resolvers without yielding.
 */
export function pauseInLongLists(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap()))
    if (isObjectType(type) && !type.name.startsWith('__'))
      for (const field of listsOf(type)) field.resolve = handedOver(field.resolve ?? defaultFieldResolver)
  pauseInIntrospection()
}

/** The fields of a type that are lists of objects. */
const listsOf = (type: GraphQLObjectType): readonly GraphQLField<unknown, unknown>[] =>
  Object.values(type.getFields()).filter(({ type: whole }) => {
    const list = isNonNullType(whole) ? whole.ofType : whole
    return isListType(list) && isCompositeType(getNamedType(list))
  })

let introspectionPauses = false

/**
 * The same for `__schema` and `__type`. All schemas of a process share the types of introspection. Outside of calls their lists stay as
 * they are, because a schema is printed without waiting for promises.
 */
function pauseInIntrospection(): void {
  if (introspectionPauses) return
  introspectionPauses = true
  for (const type of introspectionTypes)
    if (isObjectType(type))
      for (const field of listsOf(type)) {
        const resolve = field.resolve ?? defaultFieldResolver
        const resolveInCall = handedOver(resolve)
        field.resolve = (...args) => (isInCall() ? resolveInCall(...args) : resolve(...args))
      }
}

const handedOver =
  (resolve: GraphQLFieldResolver<unknown, unknown>): GraphQLFieldResolver<unknown, unknown> =>
  (...args) => {
    const found: unknown = resolve(...args)
    return found instanceof Promise ? found.then(oneByOne) : oneByOne(found)
  }

function oneByOne(found: unknown): unknown {
  if (!Array.isArray(found)) return found
  // The executor abandons the items of a list if one of them throws synchronously. If an earlier item was a promise that rejects later, the
  // rejection would then be unhandled and end the process. Therefore every item becomes a promise, which never throws synchronously.
  const items: readonly unknown[] = found
  return items.length <= SHORT ? items.map((item) => Promise.resolve(item)) : handOver(items)
}

/**
 * A promise for each item. The promises resolve one after another with pauses. If the caller disconnects, the remaining promises reject.
 */
function handOver(items: readonly unknown[]): Promise<unknown>[] {
  const waiting: { give(item: unknown): void; refuse(why: unknown): void }[] = []
  const promises = items.map(() => new Promise<unknown>((give, refuse) => void waiting.push({ give, refuse })))
  const give = async (): Promise<void> => {
    for (const [position, item] of items.entries()) {
      try {
        await pauseOfQuery()
      } catch (error) {
        for (const { refuse } of waiting.slice(position)) refuse(error)
        return
      }
      waiting[position]?.give(item)
    }
  }
  void give()
  return promises
}
