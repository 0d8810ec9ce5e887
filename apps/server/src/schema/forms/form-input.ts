import type { InputObjectRef, InputRef } from '@pothos/core'
import { z } from 'zod'
import type { Issue } from '../../services/calls/outcome.ts'
import { builder } from '../builder.ts'
import { KeyValueInput, toRecord } from '../types/common.ts'
import type { ScalarName } from '../types/scalars.ts'
import { describe, type FieldForm, fieldForm, itemOf, membersOf } from './field-form.ts'

type Types = typeof builder.$inferSchemaTypes
type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0]

/** A type of the API: a scalar by its name, or an enum, input type or list. */
type ApiType = InputRef | 'ID' | 'String' | 'Int' | 'Float' | 'Boolean' | Exclude<ScalarName, 'PackedColumn'>

/** Settings of the API for a form. Fields are named by their path from the root, without indexes of lists. */
export interface InputTable {
  /** The name of the input type of the form itself. */
  readonly name: string
  /**
   * The names of the input types of nested objects and maps, by the field that contains the object or map. An object that occurs in several
   * fields is named for only one of them.
   */
  readonly names?: Readonly<Record<string, string>>
  /**
   * Types of fields or list items for which the zod schema does not determine the type. The values of these fields and items are passed on
   * unchanged.
   */
  readonly types?: Readonly<Record<string, ApiType>>
  /**
   * Fields with a default that the API prints and fills in. Only fields of the oldest version may be listed, because older versions refuse
   * a field that was added later.
   */
  readonly printedDefaults?: readonly string[]
  /** Fields with a printed default that a caller may omit but must not set to null. */
  readonly notNull?: readonly string[]
  /** All published versions of the form, oldest first. The description of a field names the first version that has the field. */
  readonly versions?: Readonly<Record<string, z.core.$ZodType>>
}

/**
 * The input that GraphQL passes for a form, with null for absent values and lists of pairs for maps. `read` converts this input to a
 * document.
 */
export type Given<Value> = unknown extends Value
  ? unknown
  : Value extends string
    ? string
    : Value extends readonly (infer Item)[]
      ? readonly Given<Item>[]
      : Value extends object
        ? string extends keyof Value
          ? unknown
          : { readonly [Key in keyof Value]: undefined extends Value[Key] ? Given<Value[Key]> | null : Given<Value[Key]> }
        : Value

/** The input type of a form, and the conversion between input and documents of the form. */
export interface FormInput<Value> {
  readonly type: InputObjectRef<Types, Given<Value> & object>
  /**
   * Converts the input to a document, with maps in place of lists of pairs and without null values. Duplicate keys are added to the issues.
   */
  read(given: object, path: readonly string[], issues: Issue[]): Record<string, unknown>
  /** Converts a document of the form to input as callers write it, with lists of pairs in place of maps. */
  write(document: object): Record<string, unknown>
}

/** The GraphQL type for a value of a form, and the conversion of its input values. */
interface Plan {
  type(t: InputFields): ApiType
  read: Reader
  /** The reverse of `read`. */
  write(value: unknown): unknown
}

type Reader = (value: unknown, path: readonly string[], issues: Issue[]) => unknown

type Builder = typeof builder

/** The parts of a GraphQL schema that the mapper uses: the builder, and the type of an entry in a map of strings. */
interface Base {
  readonly builder: Builder
  readonly pair: InputRef
}

/**
 * Creates input types from forms, with all nested types. Every field of a form becomes a field of the API. If a field has no suitable type,
 * building the schema fails with the path of the field.
 */
export const inputsIn =
  (base: Base) =>
  <Form extends z.ZodObject>(form: Form, table: InputTable): FormInput<z.input<Form>> => {
    const type = base.builder.inputRef<Given<z.input<Form>> & object, false>(table.name)
    const mapper = new Mapper(base, table)
    const fields = mapper.implement(type, fieldForm(form, '', Object.entries(table.versions ?? {})), form)
    mapper.checkTable()
    return {
      type,
      read: (given, path, issues) => readObject(fields, given, path, issues),
      write: (document) => writeObject(fields, document),
    }
  }

/** Creates input types of the API. */
export const inputOf = inputsIn({ builder, pair: KeyValueInput })

class Mapper {
  readonly #base: Base
  readonly #table: InputTable
  /** The input type of each object, by the zod shape of the object. Objects that differ only in their description share the type. */
  readonly #objects = new Map<object, Plan>()
  /** Paths in the table that no field has used yet. */
  readonly #unused: Set<string>

  constructor(base: Base, table: InputTable) {
    this.#base = base
    this.#table = table
    const { names = {}, types = {}, printedDefaults = [], notNull = [] } = table
    this.#unused = new Set([...Object.keys(names), ...Object.keys(types), ...printedDefaults, ...notNull])
  }

  /** Adds the fields of an object to its input type. */
  implement(type: InputObjectRef<Types, object>, form: FieldForm, schema: z.ZodObject): ReadonlyMap<string, Plan> {
    const fields = [...membersOf(form, schema)].map(([name, member]) => ({
      name,
      plan: this.#planOf(member),
      options: this.#optionsOf(member),
    }))
    this.#base.builder.inputType(type, {
      description: this.#typeText(form),
      fields: (t) => Object.fromEntries(fields.map(({ name, plan, options }) => [name, t.field({ ...options, type: plan.type(t) })])),
    })
    return new Map(fields.map(({ name, plan }) => [name, plan]))
  }

  checkTable(): void {
    const [first] = this.#unused
    if (first !== undefined) throw new TypeError(`the table of ${this.#table.name} names ${first}, which is no field of the form`)
  }

  #planOf(form: FieldForm): Plan {
    const { path, schema } = form
    this.#unused.delete(path)
    if (schema instanceof z.ZodArray) return listOf(this.#planOf(itemOf(form, schema)))
    const named = this.#table.types?.[path]
    if (named !== undefined) return asIs(named)
    if (schema instanceof z.ZodObject) return this.#objectOf(form, schema)
    if (schema instanceof z.ZodRecord) return this.#mapOf(form, schema)
    const scalar = scalarOf(schema)
    if (scalar !== undefined) return asIs(scalar)
    throw new TypeError(
      `${this.#at(path)} is of the zod type ${schema._zod.def.type}, which the API has no type for; expected an object, list, map of strings, string, UUID, number, boolean or enum. Name its type in the table, or leave the field out of the form.`,
    )
  }

  #objectOf(form: FieldForm, schema: z.ZodObject): Plan {
    const known = this.#objects.get(schema.shape)
    if (known !== undefined) return known
    const type = this.#base.builder.inputRef<object, false>(this.#nameOf(form))
    const members = this.implement(type, form, schema)
    const plan: Plan = {
      type: () => type,
      read: (value, path, issues) => (isObject(value) ? readObject(members, value, path, issues) : value),
      write: (value) => (isObject(value) ? writeObject(members, value) : value),
    }
    this.#objects.set(schema.shape, plan)
    return plan
  }

  /**
   * A map of strings becomes a list of pairs. If the table names a type for the map, as for maps that are list items, the map becomes an
   * object that contains the list of pairs. A map of other values becomes a list of entries, and the entries have a type of their own.
   */
  #mapOf(form: FieldForm, { keyType, valueType }: z.ZodRecord): Plan {
    const { builder, pair } = this.#base
    const value = fieldForm(valueType, `${form.path}.values`, [])
    const isOfStrings = value.schema instanceof z.ZodString
    if (isOfStrings && this.#table.names?.[form.path] === undefined)
      return {
        type: (t) => t.listRef(pair),
        read: (pairs, path, issues) => (isPairs(pairs) ? toRecord(pairs, path, issues) : pairs),
        write: (map) => (isObject(map) ? toPairs(map, 'value') : map),
      }
    const type = builder.inputRef<object, false>(this.#nameOf(form))
    const description = this.#typeText(form)
    if (isOfStrings) {
      builder.inputType(type, {
        description,
        fields: (t) => ({ properties: t.field({ type: t.listRef(pair), required: true, description }) }),
      })
      return {
        type: () => type,
        read: (given, path, issues) =>
          isObject(given) && 'properties' in given && isPairs(given.properties)
            ? toRecord(given.properties, [...path, 'properties'], issues)
            : given,
        write: (map) => (isObject(map) ? { properties: toPairs(map, 'value') } : map),
      }
    }
    const key = fieldForm(keyType, `${form.path}.key`, [])
    const values = this.#planOf(value)
    builder.inputType(type, {
      description,
      fields: (t) => ({
        key: t.string({ required: true, description: describe(key, {}) }),
        values: t.field({ type: values.type(t), required: true, description: describe(value, {}) }),
      }),
    })
    return {
      type: (t) => t.listRef(type),
      read: (entries, path, issues) =>
        isEntries(entries)
          ? toRecord(
              entries.map(({ key, values }) => ({ key, value: values })),
              path,
              issues,
            )
          : entries,
      write: (map) => (isObject(map) ? toPairs(map, 'values') : map),
    }
  }

  #optionsOf(form: FieldForm) {
    const { printedDefaults = [], notNull = [], types = {} } = this.#table
    const isPrinted = printedDefaults.includes(form.path)
    if (isPrinted && form.since !== undefined)
      throw new TypeError(
        `${this.#at(form.path)} came with version ${form.since}, so its default must not be filled in: older versions refuse the field. Take it out of printedDefaults.`,
      )
    return {
      required: form.isRequired || notNull.includes(form.path),
      description: describe(form, { isPrinted, isNamed: form.path in types }),
      ...(isPrinted && { defaultValue: form.preset }),
    }
  }

  #nameOf({ path }: FieldForm): string {
    const name = this.#table.names?.[path]
    if (name === undefined) throw new TypeError(`${this.#at(path)} has no name for its type; add one to the table`)
    return name
  }

  #typeText({ path, ownDescription, description }: FieldForm): string {
    const text = ownDescription ?? description
    if (text === undefined) throw new TypeError(`${this.#at(path)} has no description; add one to its schema with .describe()`)
    return text
  }

  #at = (path: string): string => `${this.#table.name}: the ${path === '' ? 'form' : `field ${path}`}`
}

const asIs = (type: ApiType): Plan => ({ type: () => type, read: (value) => value, write: (value) => value })

const listOf = ({ type, read, write }: Plan): Plan => ({
  type: (t) => t.listRef(type(t)),
  read: (value, path, issues) => (Array.isArray(value) ? value.map((item, i) => read(item, [...path, String(i)], issues)) : value),
  write: (value) => (Array.isArray(value) ? value.map(write) : value),
})

/** The API's scalar for a schema; undefined if no scalar fits. */
function scalarOf(schema: z.core.$ZodType): ApiType | undefined {
  if (schema instanceof z.ZodUUID) return 'UUID'
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum) return 'String'
  if (schema instanceof z.ZodBoolean) return 'Boolean'
  if (!(schema instanceof z.ZodNumber)) return undefined
  if (!schema.isInt) return 'Float'
  return isInt32(schema.minValue) && isInt32(schema.maxValue) ? 'Int' : 'SafeInt'
}

const isInt32 = (value: number | null): boolean => value !== null && value === (value | 0)

function readObject(members: ReadonlyMap<string, Plan>, given: object, path: readonly string[], issues: Issue[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [name, members.get(name)?.read(value, [...path, name], issues)]),
  )
}

/** Converts the fields of a document that the form has. All other fields are omitted. */
const writeObject = (members: ReadonlyMap<string, Plan>, document: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(document).flatMap(([name, value]) => {
      const plan = members.get(name)
      return plan === undefined ? [] : [[name, plan.write(value)]]
    }),
  )

const toPairs = (map: object, name: 'value' | 'values') => Object.entries(map).map(([key, value]) => ({ key, [name]: value }))

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const isPairs = (value: unknown): value is readonly { readonly key: string; readonly value: string }[] =>
  Array.isArray(value) && value.every((pair) => isObject(pair) && 'key' in pair && 'value' in pair)

const isEntries = (value: unknown): value is readonly { readonly key: string; readonly values: unknown }[] =>
  Array.isArray(value) && value.every((entry) => isObject(entry) && 'key' in entry && 'values' in entry)
