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

/** What counts how large the answer of a call becomes, while it is worked out. */
export interface AnswerSize {
  /** Throws the fault of an answer that is too large already, so that nothing more of it is worked out. */
  check(event: unknown): void
  /** Counts more of it. Throws the fault once that is too much. `event`: the event of a stream that it belongs to. */
  add(bytes: number, event: unknown, isMutation: boolean): void
  /** No value of more bytes is looked at to its end. */
  readonly most: number
}

/** What a field and each item of a list take in memory beside their values. */
const FIELD_BYTES = 32

/**
 * Has every field count what it answers, before anything is copied of it: names, texts, lists and JSON as long as they are. What an
 * operation costs says how many objects come, and nothing of how long their values are.
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

/** Other names that an operation has for `__typename`, which no resolver answers; worked out once for each operation. */
const otherNames = new WeakMap<OperationDefinitionNode, number>()

/** What an object takes beside its fields: as if it had every other name for `__typename` that stands anywhere in the operation. */
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

/** About as many bytes as the JSON of a value has; of what is longer than `most` only that it is. */
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
