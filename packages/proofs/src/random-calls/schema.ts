/** A schema in the form of introspection, from which documents are drawn. */
export interface Schema {
  readonly types: ReadonlyMap<string, NamedType>
  readonly query: string
  readonly mutation: string
  readonly subscription: string
}

export interface TypeRef {
  readonly kind: string
  readonly name: string | null
  readonly ofType: TypeRef | null
}

export interface Argument {
  readonly name: string
  readonly type: TypeRef
  readonly defaultValue: string | null
}

export interface Field {
  readonly name: string
  readonly args: readonly Argument[]
  readonly type: TypeRef
}

export interface NamedType {
  readonly kind: string
  readonly name: string
  readonly fields: readonly Field[] | null
  readonly inputFields: readonly Argument[] | null
  readonly enumValues: readonly { readonly name: string }[] | null
  readonly possibleTypes: readonly { readonly name: string }[] | null
  readonly isOneOf: boolean | null
}

const REF = ['kind name', 'kind name', 'kind name', 'kind name', 'kind name', 'kind name', 'kind name'].join(' ofType { ') + ' }'.repeat(6)
const INTROSPECTION = `{ __schema { queryType { name } mutationType { name } subscriptionType { name } types { kind name isOneOf
  fields { name args { name defaultValue type { ${REF} } } type { ${REF} } }
  inputFields { name defaultValue type { ${REF} } } enumValues { name } possibleTypes { name } } } }`

interface Introspected {
  readonly __schema: {
    readonly queryType: { readonly name: string }
    readonly mutationType: { readonly name: string }
    readonly subscriptionType: { readonly name: string }
    readonly types: readonly NamedType[]
  }
}

export async function readSchema(ask: (document: string) => Promise<Introspected>): Promise<Schema> {
  const { queryType, mutationType, subscriptionType, types } = (await ask(INTROSPECTION)).__schema
  return {
    query: queryType.name,
    mutation: mutationType.name,
    subscription: subscriptionType.name,
    types: new Map(types.map((type) => [type.name, type])),
  }
}

/** The type without its list and non-null wrappers. */
export function namedIn(ref: TypeRef): string {
  return ref.ofType === null ? (ref.name ?? '') : namedIn(ref.ofType)
}

export const isRequired = ({ kind }: TypeRef): boolean => kind === 'NON_NULL'
