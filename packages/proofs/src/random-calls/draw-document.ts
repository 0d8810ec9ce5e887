import { chance, oneOf } from './choose.ts'
import { drawArgument, EnumName, isPrintable, plainValue, printValue, type Source } from './draw-value.ts'
import { type Argument, type Field, isRequired, type NamedType, namedIn, type TypeRef } from './schema.ts'

/** The kinds of calls of a fuzz run. Of each kind, some calls must be answered. */
export const kinds = [
  'query',
  'mutation',
  'subscription',
  'filter',
  'report',
  'Nova report',
  'Nova request',
  'long text',
  'repeated variable',
] as const
export type Kind = (typeof kinds)[number]

/** One call of a fuzz run. */
export interface Call {
  readonly kind: Kind
  readonly document: string
  readonly variables: Readonly<Record<string, unknown>>
  /** The fields of the root type that the call selects. */
  readonly roots: readonly string[]
  /** Whether the call may decide or write to the log: a mutation that is not a dry run. Such a call is sent alone. */
  readonly isWriting: boolean
  /** For a subscription: it is closed after this many chunks of the response body. */
  readonly chunks?: number
}

interface Drawing {
  readonly source: Source
  readonly variables: Record<string, unknown>
  readonly declared: string[]
  /** The names of the declared variables by their types. */
  readonly byType: Map<string, string[]>
  readonly fragments: string[]
  /** How many root fields are dry runs. */
  dryRuns: number
  /** At most this many further fields can be added to the document. */
  left: number
}

const MAX_FIELDS = 40
const MAX_DEPTH = 8
/** A list can contain the same variable this many times. */
const MAX_REPEATS = 60
/** Mutations whose work grows with the length of the log. Such a mutation can be drawn for only one of this many mutation calls. */
const RARE_MUTATIONS: Readonly<Record<string, number>> = { replicaHeal: 500 }

const newDrawing = (source: Source): Drawing => ({
  ...{ source, variables: {}, declared: [], byType: new Map(), fragments: [], dryRuns: 0, left: MAX_FIELDS },
})

/** A random query or mutation of the schema with its variables. Most documents are valid. */
export function drawCall(source: Source): Call {
  const { random, schema } = source
  const isMutation = chance(random, 20)
  const type = schema.types.get(isMutation ? schema.mutation : schema.query) as NamedType
  const drawing = newDrawing(source)
  const fields = (type.fields ?? []).filter(({ name }) => RARE_MUTATIONS[name] === undefined || random.below(RARE_MUTATIONS[name]) === 0)
  const chosen = Array.from({ length: chance(random, 80) ? 1 : 1 + random.below(3) }, () => oneOf(random, fields))
  const body = chosen.map((field, i) => drawField(drawing, field, 1, chosen.length > 1 ? `r${i}` : undefined)).join(' ')
  const kind = isMutation ? 'mutation' : 'query'
  return {
    kind,
    ...written(drawing, kind, body),
    roots: chosen.map(({ name }) => name),
    isWriting: isMutation && drawing.dryRuns < chosen.length,
  }
}

/** A random subscription, which is closed after a few chunks of the response body. */
export function drawSubscription(source: Source): Call {
  const { random, schema } = source
  const type = schema.types.get(schema.subscription) as NamedType
  const drawing = newDrawing(source)
  const field = oneOf(random, type.fields ?? [])
  const body = drawField(drawing, field, 1, undefined)
  return {
    kind: 'subscription',
    ...written(drawing, 'subscription', body),
    roots: [field.name],
    isWriting: false,
    chunks: 1 + random.below(3),
  }
}

function written({ declared, fragments, variables }: Drawing, operation: string, body: string): Pick<Call, 'document' | 'variables'> {
  const head = `${operation} Fuzz${declared.length > 0 ? `(${declared.join(', ')})` : ''}`
  return { document: [`${head} { ${body} }`, ...fragments].join('\n'), variables }
}

function drawField(drawing: Drawing, field: Field, depth: number, alias: string | undefined): string {
  const { source } = drawing
  const { random } = source
  drawing.left--
  const args = field.args
    .filter(({ type, name }) => isRequired(type) || chance(random, name === 'first' ? 60 : 25))
    .map((argument) => {
      if (chance(random, 10)) {
        const repeated = repeat(drawing, argument)
        if (repeated !== undefined) return `${argument.name}: ${repeated}`
      }
      const value = drawArgument(source, argument)
      if (depth === 1 && argument.name === 'dryRun' && value === true) drawing.dryRuns++
      const isDeclared = chance(random, 30) || !isPrintable(value)
      return `${argument.name}: ${isDeclared ? declare(drawing, argument.type, value) : printValue(value)}`
    })
  const name = alias ?? (chance(random, 5) ? `a${random.below(9)}` : undefined)
  const directive = chance(random, 3) ? ` ${oneOf(random, ['@include(if: true)', '@skip(if: false)', '@skip(if: true)'])}` : ''
  const type = source.schema.types.get(namedIn(field.type))
  const inner = type === undefined ? '' : drawSelection(drawing, type, depth + 1)
  return `${name === undefined ? '' : `${name}: `}${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${directive}${inner}`
}

function declare({ variables, declared, byType }: Drawing, type: TypeRef, value: unknown): string {
  const name = `v${declared.length}`
  // In variables, the value of an enum is a string like any other. The default value in the declaration shows the enum's syntax too.
  const fallback = value instanceof EnumName ? ` = ${printValue(value)}` : ''
  const printed = printType(type)
  declared.push(`$${name}: ${printed}${fallback}`)
  variables[name] = plainValue(value)
  byType.set(printed, [...(byType.get(printed) ?? []), name])
  return `$${name}`
}

/**
 * Uses a variable several times: a declared variable of the argument's type once more, or a new variable several times in a list. Undefined
 * if neither is possible for the argument.
 */
function repeat(drawing: Drawing, { name, type }: Argument): string | undefined {
  const { random } = drawing.source
  const known = drawing.byType.get(printType(type))
  if (known !== undefined) return `$${oneOf(random, known)}`
  const list = type.kind === 'NON_NULL' ? type.ofType : type
  if (list?.kind !== 'LIST' || list.ofType === null) return undefined
  const item = declare(drawing, list.ofType, drawArgument(drawing.source, { name, type: list.ofType, defaultValue: null }))
  return `[${Array.from({ length: 1 + random.below(MAX_REPEATS) }, () => item).join(', ')}]`
}

function printType(type: TypeRef): string {
  if (type.ofType === null) return type.name ?? ''
  return type.kind === 'LIST' ? `[${printType(type.ofType)}]` : `${printType(type.ofType)}!`
}

/** The selected fields of an object, a union or an interface; nothing for a scalar. */
function drawSelection(drawing: Drawing, type: NamedType, depth: number): string {
  const { random, schema } = drawing.source
  const isObject = type.fields !== null
  const possible = type.possibleTypes ?? []
  if (!isObject && possible.length === 0) return ''
  // the type of a mutation's answer shows whether the mutation did anything, and so does the number of applied reports
  const parts: string[] = chance(random, 20) || !isObject || depth === 2 ? ['__typename'] : []
  if (depth === 2 && type.fields?.some(({ name }) => name === 'appliedCount') === true) parts.push('appliedCount')
  if (depth <= MAX_DEPTH) {
    const fields = type.fields ?? []
    const chosen = fields.filter(() => drawing.left > 0 && chance(random, Math.max(12, 200 / fields.length)))
    for (const field of chosen) parts.push(drawField(drawing, field, depth, undefined))
    for (const { name } of possible) {
      const of = schema.types.get(name)
      if (of === undefined || drawing.left <= 0 || !chance(random, 50)) continue
      const inside = drawSelection(drawing, of, depth + 1)
      if (chance(random, 30)) {
        const fragment = `F${drawing.fragments.length}x${drawing.left}`
        drawing.fragments.push(`fragment ${fragment} on ${name}${inside}`)
        parts.push(`...${fragment}`)
      } else parts.push(`... on ${name}${inside}`)
    }
  }
  return ` { ${parts.length > 0 ? parts.join(' ') : '__typename'} }`
}
