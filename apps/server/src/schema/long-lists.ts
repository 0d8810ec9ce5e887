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
import { pauseOfQuestion } from '../replica/question.ts'

/** Lists up to this long are completed at once. */
const SHORT = 8

/**
 * Lets other calls be answered while a long list of objects is: its items are handed over one by one, with pauses between. An executor
 * completes all of a plain list, and all that is inside of it, in one go where no resolver waits.
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
  // The executor leaves alone what it began of a list when one of its items throws at once: a rejection of an earlier item would then be
  // nobody's, and end the process. An item that is a promise never throws at once.
  const items: readonly unknown[] = found
  return items.length <= SHORT ? items.map((item) => Promise.resolve(item)) : handOver(items)
}

/** A promise for each item, kept one after the other with pauses between; those left are rejected once the caller went away. */
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
