import {
  defaultFieldResolver,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { pauseOfQuestion } from '../../event-loop/question.ts'

/** Lists up to this length are completed without yielding. */
const SHORT = 8

/**
 * Lets other calls run while a long list of objects is resolved. The items of the list become promises that resolve one by one, with
 * pauses. Without the pauses, the executor would complete a list with synchronous resolvers in one piece.
 */
export function pauseInLongLists(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) {
      const whole = isNonNullType(field.type) ? field.type.ofType : field.type
      if (!isListType(whole) || !isCompositeType(getNamedType(whole))) continue
      field.resolve = handedOver(field.resolve ?? defaultFieldResolver)
    }
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
        await pauseOfQuestion()
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
