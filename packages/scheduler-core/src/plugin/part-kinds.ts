import { z } from 'zod'
import type { Filter } from '../filters/filter.ts'
import { statsFields } from '../fleet/stats-fields.ts'
import type { PluginScheduler } from '../pipeline/compiled-profile.ts'
import { isStorable } from '../storable.ts'
import type { Weigher } from '../weighers/weigher.ts'
import type { LeaseProvider } from './lease-provider.ts'
import type { PluginNamespace } from './namespace.ts'

/**
 * What a plug-in may bring, by the name of the list that has it. A kind more is a line here and one in `partKinds`: whoever loads, checks,
 * contains, asks or shows parts goes through those two, and the compiler tells what else it needs.
 */
export interface Parts {
  readonly filters: Filter
  readonly weighers: Weigher
  readonly schedulers: PluginScheduler
  readonly leaseProviders: LeaseProvider
  readonly namespaces: PluginNamespace
}

export type PartList = keyof Parts

/** Of each kind its parts. */
export type PartLists = { readonly [List in PartList]: readonly Parts[List][] }

/** A kind of part. What is not a shape is plain data: it is handed to threads. */
export interface PartKind {
  /** As the API calls it. */
  readonly kind: string
  /** What a part of it does, as the end of a sentence. */
  readonly does: string
  /** What a part says of itself, beside the functions that its contract names; more members are its own matter. */
  readonly shape: z.ZodType
  /** Of a kind whose parts may be outside of the process of the service: what they are asked about there, before a decision or a report. */
  readonly asked?: 'HOSTS' | 'DOCUMENTS'
  /** What such a part tells of itself from there as it is. */
  readonly tells: readonly string[]
  /** Its member that is a zod schema, told as JSON Schema. */
  readonly schema?: string
  /** Members that such a part cannot have. */
  readonly beyond: readonly string[]
}

const sentence = z.string().trim().min(1).max(1_024)
const aFunction = z.custom((value) => typeof value === 'function', 'must be a function')
const aRead = z.string().refine(isRead, 'must be a field of reports, or a namespace with a field after a dot: memoryMb, storage.pools')
const aMetadataRead = z.strictObject({
  key: z.string().min(1).max(255),
  by: z.string().min(1).max(200).optional(),
  option: z.string().min(1).max(100).optional(),
})
const aSchema = z.custom((value) => jsonSchemaOf(value) !== undefined, 'must be the zod schema of an object that JSON Schema has words for')

/** What profiles list: filters and weighers. */
const listed = (noun: 'Filter' | 'Weigher') => ({
  name: z.string().regex(new RegExp(`^[A-Z][A-Za-z0-9]{0,100}${noun}$`), `must be letters and digits, a capital first and ${noun} last`),
  description: sentence,
  reads: z.union([z.array(aRead).max(64), aFunction], 'must be a list of fields of reports, or a function of the options'),
  readsMetadata: z
    .union([z.array(aMetadataRead).max(64), aFunction], 'must be a list of keys of metadata, or a function of the options')
    .optional(),
  parameters: aSchema.optional(),
  readsHostOnly: z.literal(true).optional(),
  readsOtherHosts: z.literal(true).optional(),
  checkOptions: aFunction.optional(),
  prepare: aFunction,
})

/** What is called by a name in small letters. */
const named = {
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be 1 to 63 lower-case letters, digits and dashes'),
  description: sentence,
}

/** What can be asked about hosts from outside: not what has to be called within the decision. */
const askedAboutHosts = {
  asked: 'HOSTS',
  tells: ['name', 'description', 'reads', 'unit'],
  schema: 'parameters',
  beyond: ['minval', 'multipliers', 'cacheKey', 'checkOptions'],
} as const

const inProcess = { tells: [], beyond: [] } as const

export const partKinds = {
  filters: {
    ...{ kind: 'FILTER', does: 'lets hosts through or refuses them' },
    ...{ shape: z.looseObject(listed('Filter')), ...askedAboutHosts },
  },
  weighers: {
    ...{ kind: 'WEIGHER', does: 'ranks those that are let through' },
    shape: z.looseObject({
      ...listed('Weigher'),
      unit: z.string().min(1).max(32).refine(isStorable, 'must be text without NUL and halves of surrogate pairs'),
      minval: z.number().optional(),
      multipliers: aFunction.optional(),
      cacheKey: aFunction.optional(),
    }),
    ...askedAboutHosts,
  },
  schedulers: {
    ...{ kind: 'SCHEDULER', does: 'takes some of them' },
    ...{ shape: z.looseObject({ ...named, create: aFunction }), ...inProcess },
  },
  leaseProviders: {
    ...{ kind: 'LEASE_PROVIDER', does: 'says when hosts were heard' },
    ...{ shape: z.looseObject({ ...named, open: aFunction }), ...inProcess },
  },
  namespaces: {
    ...{ kind: 'NAMESPACE', does: 'lets other services report of hosts' },
    shape: z.looseObject({
      name: z
        .string()
        .regex(/^[a-z][a-z0-9_-]{0,62}$/, 'must be a lower-case letter, and up to 62 letters, digits, dashes and underscores'),
      description: sentence,
      version: z.string().regex(/^\d{1,4}\.\d{1,4}$/, 'must be a version of documents such as 1.0'),
      document: aSchema,
      maxAgeSeconds: z.number().int().min(1).max(31_536_000),
      units: z.record(z.string().max(128), z.string().min(1).max(32)).optional(),
    }),
    ...{ asked: 'DOCUMENTS', tells: ['name', 'description', 'version', 'maxAgeSeconds', 'units'], schema: 'document', beyond: [] },
  },
} as const satisfies { readonly [List in PartList]: PartKind }

export const partLists = Object.keys(partKinds) as readonly PartList[]

/** Something of each kind, by what makes it of the name of the list. The compiler does not follow a list to its parts, so callers say what comes of it. */
export const ofEachKind = <Value>(make: (list: PartList, kind: PartKind) => Value): { readonly [List in PartList]: Value } =>
  Object.fromEntries(partLists.map((list) => [list, make(list, partKinds[list])])) as { readonly [List in PartList]: Value }

/** All parts of a plug-in, in the order of the kinds. */
export const partsIn = (lists: PartLists): readonly { readonly list: PartList; readonly part: Parts[PartList] }[] =>
  partLists.flatMap((list) => lists[list].map((part) => ({ list, part })))

function isRead(read: string): boolean {
  return statsFields.some((known) => known === read) || /^[a-z][a-z0-9_-]{0,62}\.[^.]/.test(read)
}

/** A schema for people and editors, as JSON Schema; undefined for what is no schema of an object, or has no words there. */
export function jsonSchemaOf(given: unknown): z.core.JSONSchema.BaseSchema | undefined {
  try {
    const schema = z.toJSONSchema(given as z.ZodType, { io: 'input' })
    return schema.type === 'object' ? schema : undefined
  } catch {
    return undefined
  }
}
