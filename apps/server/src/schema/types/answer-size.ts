import {
  defaultFieldResolver,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  visit,
} from 'graphql'

/** Counts the size of a call's answer while it is computed. */
export interface AnswerSize {
  /** Throws if the answer is too large. The computation of the answer then stops. */
  check(event: unknown): void
  /** Adds to the size of the answer. Throws when it is too large. `event` is the event of a stream to which the value belongs. */
  add(bytes: number, event: unknown, isMutation: boolean): void
  /** Once a value is found to be larger than this many bytes, the rest of the value is not examined. */
  readonly most: number
}

/** The memory that a field or an item of a list takes in addition to its value, in bytes. */
const FIELD_BYTES = 32

/**
 * Makes every field of the schema add the size of its value to the size of the answer, before the value is copied. This is needed because
 * the cost of an operation limits the number of objects, but not the size of their values.
 */
export function countAnswers(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields()))
      field.resolve = counted(field.resolve ?? defaultFieldResolver, isCompositeType(getNamedType(field.type)))
  }
}

const counted =
  (
    resolve: GraphQLFieldResolver<unknown, { readonly answer: AnswerSize }>,
    hasFields: boolean,
  ): GraphQLFieldResolver<unknown, { readonly answer: AnswerSize }> =>
  (parent, args, context, info) => {
    const { answer } = context
    const { rootValue, path, operation } = info
    answer.check(rootValue)
    const take = (value: unknown): unknown => {
      const inner = hasFields ? (Array.isArray(value) ? value.length : 1) * bytesOfObject(info) : bytesOf(value, answer.most)
      answer.add(FIELD_BYTES + String(path.key).length + inner, rootValue, operation.operation === OperationTypeNode.MUTATION)
      return value
    }
    const found: unknown = resolve(parent, args, context, info)
    return found instanceof Promise ? found.then(take) : take(found)
  }

/**
 * The bytes that aliases of `__typename` in an operation add to each object. No resolver is called for them, so they are counted here, once
 * for each operation.
 */
const otherNames = new WeakMap<OperationDefinitionNode, number>()

/** The size of an object without its fields. It is counted as if it had every alias of `__typename` in the operation. */
function bytesOfObject({ operation, fragments }: Pick<GraphQLResolveInfo, 'operation' | 'fragments'>): number {
  let bytes = otherNames.get(operation)
  if (bytes === undefined) {
    bytes = 0
    for (const part of [operation, ...Object.values(fragments)])
      visit(part, {
        [Kind.FIELD]({ name, alias }) {
          if (name.value === '__typename' && alias) bytes = (bytes ?? 0) + FIELD_BYTES + alias.value.length
        },
      })
    otherNames.set(operation, bytes)
  }
  return FIELD_BYTES + bytes
}

/** The approximate size of a value's JSON in bytes. For a larger value than `most`, any number above `most`. */
export function bytesOf(value: unknown, most: number): number {
  let bytes = 0
  const waiting: unknown[] = []
  const take = (one: unknown): void => {
    if (typeof one === 'string') bytes += Buffer.byteLength(one) + 3
    else if (ArrayBuffer.isView(one)) bytes += Math.ceil((one.byteLength * 4) / 3)
    else if (typeof one === 'object' && one !== null) waiting.push(one)
    else bytes += 8
  }
  take(value)
  while (waiting.length > 0 && bytes <= most) {
    const next = waiting.pop() as object
    if (Array.isArray(next)) {
      for (let i = 0; i < next.length && bytes <= most; i++) take(next[i])
    } else
      for (const [key, inner] of Object.entries(next)) {
        bytes += Buffer.byteLength(key) + 4
        take(inner)
      }
  }
  return bytes
}
