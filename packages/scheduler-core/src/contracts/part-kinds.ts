import { z } from 'zod'
import { statsFields } from '../report/stats-fields.ts'
import { isStorable } from '../values/storable.ts'
import type { PluginScheduler } from './compiled-profile.ts'
import type { Filter } from './filter.ts'
import type { LeaseProvider } from './lease-provider.ts'
import type { PluginNamespace } from './namespace.ts'
import type { Weigher } from './weigher.ts'

/**
 * The lists of parts in a plug-in, with the type of each part. A part is a filter, a weigher, a scheduler or anything else that a plug-in
 * can add. A new kind of part needs one member in this interface and one in `partKinds`. The compiler then reports what else the new kind
 * needs.
 */
export interface Parts {
  readonly filters: Filter
  readonly weighers: Weigher
  readonly schedulers: PluginScheduler
  readonly leaseProviders: LeaseProvider
  readonly namespaces: PluginNamespace
}

export type PartList = keyof Parts

/** The parts of a plug-in, as one list for each kind. */
export type PartLists = { readonly [List in PartList]: readonly Parts[List][] }

/** A kind of part. All members except `shape` are plain data, because they are sent to threads. */
export interface PartKind {
  /** The name of the kind in the API. */
  readonly kind: string
  /** Describes what a part of this kind does, as the end of a sentence. */
  readonly does: string
  /** The schema by which a part is checked when its plug-in is loaded. The part can have further members. */
  readonly shape: z.ZodType
  /**
   * Present for kinds whose parts can run outside of the service's process. HOSTS: the parts are called before a decision, with hosts.
   * DOCUMENTS: the parts are called with the documents of a report, before the report is written to the log.
   */
  readonly asked?: 'HOSTS' | 'DOCUMENTS'
  /** For a part that runs outside of the process: the members that are sent to the service unchanged. */
  readonly shows: readonly string[]
  /** For a part that runs outside of the process: the member that is a zod schema. It is sent to the service as JSON Schema. */
  readonly schema?: string
  /** For a part that runs outside of the process: the members that it must not have. */
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
const aSchema = z.custom(
  (value) => jsonSchemaOf(value) !== undefined,
  'must be the zod schema of an object, and JSON Schema must be able to express it',
)

/** The schema of the members that filters and weighers have. */
const listed = (noun: 'Filter' | 'Weigher') => ({
  name: z
    .string()
    .regex(new RegExp(`^[A-Z][A-Za-z0-9]{0,100}${noun}$`), `must be letters and digits, begin with a capital letter and end with ${noun}`),
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

/** The schema of the members that schedulers and lease providers have. */
const named = {
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be 1 to 63 lower-case letters, digits and dashes, and must not begin with a dash'),
  description: sentence,
}

/** For filters and weighers that run outside of the process. They must not have functions that are called during a decision. */
const askedAboutHosts = {
  asked: 'HOSTS',
  shows: ['name', 'description', 'reads', 'unit'],
  schema: 'parameters',
  beyond: ['minval', 'multipliers', 'cacheKey', 'canPassAgain', 'checkOptions'],
} as const

const inProcess = { shows: [], beyond: [] } as const

export const partKinds = {
  filters: {
    ...{ kind: 'FILTER', does: 'passes or refuses hosts' },
    ...{ shape: z.looseObject({ ...listed('Filter'), canPassAgain: aFunction.optional() }), ...askedAboutHosts },
  },
  weighers: {
    ...{ kind: 'WEIGHER', does: 'ranks the hosts that passed' },
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
    ...{ kind: 'SCHEDULER', does: 'chooses among the ranked hosts' },
    ...{ shape: z.looseObject({ ...named, create: aFunction }), ...inProcess },
  },
  leaseProviders: {
    ...{ kind: 'LEASE_PROVIDER', does: 'reports when each host last gave a sign of life' },
    ...{ shape: z.looseObject({ ...named, open: aFunction }), ...inProcess },
  },
  namespaces: {
    ...{ kind: 'NAMESPACE', does: 'lets other services report data about hosts' },
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
    ...{ asked: 'DOCUMENTS', shows: ['name', 'description', 'version', 'maxAgeSeconds', 'units'], schema: 'document', beyond: [] },
  },
} as const satisfies { readonly [List in PartList]: PartKind }

export const partLists = Object.keys(partKinds) as readonly PartList[]

/**
 * Calls a function for each kind of part. Returns an object with the result for each kind. The compiler cannot infer the type of a list's
 * parts, so callers specify the result type.
 */
export const ofEachKind = <Value>(make: (list: PartList, kind: PartKind) => Value): { readonly [List in PartList]: Value } =>
  Object.fromEntries(partLists.map((list) => [list, make(list, partKinds[list])])) as { readonly [List in PartList]: Value }

/** All parts of a plug-in in one list, in the order of the kinds. */
export const partsIn = (lists: PartLists): readonly { readonly list: PartList; readonly part: Parts[PartList] }[] =>
  partLists.flatMap((list) => lists[list].map((part) => ({ list, part })))

function isRead(read: string): boolean {
  return statsFields.some((known) => known === read) || /^[a-z][a-z0-9_-]{0,62}\.[^.]/.test(read)
}

/**
 * Converts a zod schema to JSON Schema, for documentation and editors. Undefined if the schema is not that of an object, or if JSON Schema
 * cannot express it.
 */
export function jsonSchemaOf(given: unknown): z.core.JSONSchema.BaseSchema | undefined {
  try {
    const schema = z.toJSONSchema(given as z.ZodType, { io: 'input' })
    return schema.type === 'object' ? schema : undefined
  } catch {
    return undefined
  }
}
