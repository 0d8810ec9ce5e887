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
  if (!Array.isArray(found) || found.length <= SHORT) return found
  const items: readonly unknown[] = found
  let given = 0
  const give = (): IteratorResult<unknown> =>
    given < items.length ? { done: false, value: items[given++] } : { done: true, value: undefined }
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        await pauseOfQuestion()
        return give()
      },
    }),
  }
}
