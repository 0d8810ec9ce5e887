import { chance, drawArgument, EnumName, oneOf, plainValue, printValue, type Source } from './draw-value.ts'
import { type Field, isRequired, type NamedType, namedIn, type TypeRef } from './schema.ts'

/** One call of a fuzz run. */
export interface Call {
  readonly document: string
  readonly variables: Readonly<Record<string, unknown>>
  /** The fields of the root type that the call selects. */
  readonly roots: readonly string[]
  /** Whether the call may decide or write to the log. Such a call is sent alone, and `/live` may be silent during the call. */
  readonly isWriting: boolean
}

interface Drawing {
  readonly source: Source
  readonly variables: Record<string, unknown>
  readonly declared: string[]
  readonly fragments: string[]
  /** At most this many further fields can be added to the document. */
  left: number
}

const MAX_FIELDS = 40
const MAX_DEPTH = 8
/** Mutations whose work grows with the length of the log. Such a mutation can be drawn for only one of this many mutation calls. */
const RARE_MUTATIONS: Readonly<Record<string, number>> = { replicaHeal: 500 }

/** A random document of the schema with its variables. Most documents are valid. */
export function drawCall(source: Source): Call {
  const { random, schema } = source
  const isMutation = chance(random, 20)
  const type = schema.types.get(isMutation ? schema.mutation : schema.query) as NamedType
  const drawing: Drawing = { source, variables: {}, declared: [], fragments: [], left: MAX_FIELDS }
  const fields = (type.fields ?? []).filter(({ name }) => RARE_MUTATIONS[name] === undefined || random.below(RARE_MUTATIONS[name]) === 0)
  const chosen = Array.from({ length: chance(random, 80) ? 1 : 1 + random.below(3) }, () => oneOf(random, fields))
  const body = chosen.map((field, i) => drawField(drawing, field, 1, chosen.length > 1 ? `r${i}` : undefined)).join(' ')
  const declared = drawing.declared.length > 0 ? `(${drawing.declared.join(', ')})` : ''
  const head = isMutation ? `mutation Fuzz${declared}` : `query Fuzz${declared}`
  return {
    document: [`${head} { ${body} }`, ...drawing.fragments].join('\n'),
    variables: drawing.variables,
    roots: chosen.map(({ name }) => name),
    isWriting: isMutation,
  }
}

function drawField(drawing: Drawing, field: Field, depth: number, alias: string | undefined): string {
  const { source } = drawing
  const { random } = source
  drawing.left--
  const args = field.args
    .filter(({ type, name }) => isRequired(type) || chance(random, name === 'first' ? 60 : 25))
    .map((argument) => {
      const value = drawArgument(source, argument)
      return `${argument.name}: ${chance(random, 30) ? declare(drawing, argument.type, value) : printValue(value)}`
    })
  const name = alias ?? (chance(random, 5) ? `a${random.below(9)}` : undefined)
  const directive = chance(random, 3) ? ` ${oneOf(random, ['@include(if: true)', '@skip(if: false)', '@skip(if: true)'])}` : ''
  const type = source.schema.types.get(namedIn(field.type))
  const inner = type === undefined ? '' : drawSelection(drawing, type, depth + 1)
  return `${name === undefined ? '' : `${name}: `}${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${directive}${inner}`
}

function declare({ variables, declared }: Drawing, type: TypeRef, value: unknown): string {
  const name = `v${declared.length}`
  // In variables, the value of an enum is a string like any other. The default value in the declaration shows the enum's syntax too.
  const fallback = value instanceof EnumName ? ` = ${printValue(value)}` : ''
  declared.push(`$${name}: ${printType(type)}${fallback}`)
  variables[name] = plainValue(value)
  return `$${name}`
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
  const parts: string[] = chance(random, 20) || !isObject ? ['__typename'] : []
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
