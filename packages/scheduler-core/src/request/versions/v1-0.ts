import { z } from 'zod'
import { limits } from '../limits.ts'

export const name = z.string().min(1).max(limits.nameLength)
/** One spelling for each: instances are compared as text. */
export const uuid = z.uuid().toLowerCase()
export const whole = (max: number) => z.number().int().min(0).max(max)
export const positive = (max: number) => z.number().int().min(1).max(max)
export const list = <T extends z.ZodType>(item: T, max: number = limits.entries) => z.array(item).max(max)
const resourceClass = z.string().regex(/^[A-Z][A-Z0-9_]{0,254}$/, 'must be a resource class: capital letters, digits and _')
const trait = z.string().regex(/^[A-Z][A-Z0-9_]{0,254}$/, 'must be a trait: capital letters, digits and _')
export const keyValues = z
  .record(z.string().min(1).max(limits.nameLength), z.string().max(limits.valueLength))
  .refine((pairs) => Object.keys(pairs).length <= limits.entries, `must hold at most ${limits.entries} keys`)
  .refine(
    (pairs) => JSON.stringify(pairs).length <= limits.extraSpecsLength,
    `must be at most ${limits.extraSpecsLength} characters in all`,
  )

const flavor = z.strictObject({
  name: name.nullable().default(null),
  /** Virtual CPUs. */
  vcpus: whole(limits.vcpus),
  /** Memory in MiB. */
  memoryMb: whole(limits.memoryMib),
  /** Root disk in GiB; not counted when the instance boots from a volume. */
  rootGb: whole(limits.diskGib).default(0),
  /** Ephemeral disk in GiB. */
  ephemeralGb: whole(limits.diskGib).default(0),
  /** Swap disk in MiB. */
  swapMb: whole(limits.memoryMib).default(0),
  extraSpecs: keyValues.default({}).superRefine((pairs, context) => {
    for (const [key, value] of Object.entries(pairs)) {
      const [kind, rest = ''] = split(key)
      if (kind === 'resources' && !(resourceClass.safeParse(rest).success && /^\d{1,13}$/.test(value) && Number(value) <= limits.amount))
        context.addIssue({
          code: 'custom',
          path: [key],
          input: value,
          message: `must be resources:CLASS with a whole number of 0 to ${limits.amount}`,
        })
      if (kind === 'trait' && !(trait.safeParse(rest).success && (value === 'required' || value === 'forbidden')))
        context.addIssue({ code: 'custom', path: [key], input: value, message: 'must be trait:NAME with the value required or forbidden' })
    }
  }),
})

const image = z.strictObject({
  id: name.nullable().default(null),
  architecture: name.nullable().default(null),
  /** Least memory of a flavor for this image, in MiB; informative, as in Nova's scheduler. */
  minRamMb: whole(limits.memoryMib).default(0),
  /** Least root disk of a flavor for this image, in GiB; informative. */
  minDiskGb: whole(limits.diskGib).default(0),
  properties: keyValues.default({}),
})

const instanceGroup = z.strictObject({
  uuid,
  policy: z.enum(['AFFINITY', 'ANTI_AFFINITY', 'SOFT_AFFINITY', 'SOFT_ANTI_AFFINITY']),
  /** With ANTI_AFFINITY: how many members one host may hold; 1 if not given. */
  maxServerPerHost: positive(limits.instances).nullable().default(null),
  /** Hosts that hold members which were not placed by this service. */
  hosts: list(name).default([]),
})

/** The fields of a guest's cell. */
export const numaCellFields = {
  /** The guest's cell number. */
  id: whole(limits.numaCells),
  /** The guest's CPU numbers in this cell; only their count matters for placing. */
  cpus: list(whole(limits.cpus), limits.cpus).min(1),
  /** Memory of this cell in MiB. */
  memoryMb: positive(limits.memoryMib),
  /** dedicated: each guest CPU gets a host CPU of its own. */
  cpuPolicy: z.enum(['shared', 'dedicated']).default('shared'),
}

const gpus = z.strictObject({
  count: positive(limits.gpusPerHost).default(1),
  /** Thousandths of each GPU; 1000 = whole GPUs. */
  shareMilli: positive(1_000).default(1_000),
  /** Models that will do; empty = any. */
  models: list(name).default([]),
})

const resourceGroup = z.strictObject({
  suffix: z.string().max(64).default(''),
  amounts: list(z.strictObject({ resourceClass, amount: whole(limits.amount) })),
  requiredTraits: list(trait).default([]),
  forbiddenTraits: list(trait).default([]),
  /** Aggregates (uuid) of which the host must be in at least one. */
  memberOf: list(uuid).default([]),
})

export const destinationFields = {
  host: name.nullable().default(null),
  node: name.nullable().default(null),
  /** Aggregates (uuid) of which the host must be in at least one; empty = any host. */
  aggregates: list(uuid).default([]),
}

/** The fields of RequestSpec 1.0. */
export const requestFields = {
  version: z.literal('1.0').default('1.0'),
  /** Names of the instances; when given, one for each. */
  instanceUuids: list(uuid, limits.instances).default([]),
  numInstances: positive(limits.instances).optional(),
  projectId: name.nullable().default(null),
  userId: name.nullable().default(null),
  flavor,
  image: image.nullable().default(null),
  availabilityZone: name.nullable().default(null),
  instanceGroup: instanceGroup.nullable().default(null),
  numaTopology: z
    .strictObject({ cells: list(z.strictObject(numaCellFields), limits.numaCells).min(1) })
    .nullable()
    .default(null),
  gpus: gpus.nullable().default(null),
  requestedResources: list(resourceGroup, 64).default([]),
  requestedDestination: z.strictObject(destinationFields).nullable().default(null),
  /** Only these hosts are candidates; the filters still run, unlike Nova's. */
  forceHosts: list(name).default([]),
  forceNodes: list(name).default([]),
  ignoreHosts: list(name, limits.instances).default([]),
  schedulerHints: z
    .record(name, list(z.string().max(limits.valueLength)))
    .refine((hints) => Object.keys(hints).length <= limits.entries, `must hold at most ${limits.entries} hints`)
    .default({}),
  /** The instance boots from a volume: its root disk takes nothing from the host. */
  isBfv: z.boolean().default(false),
}

/** RequestSpec 1.0, the first published version. A published version never changes: the next one is a new file. */
export const requestSpecV1_0 = z.strictObject(requestFields).superRefine(checkRequest).transform(countInstances)

export type RequestSpecV1_0 = DeepReadonly<z.output<typeof requestSpecV1_0>>

/** Everything in it that is a list or an object may not be changed either. */
export type DeepReadonly<T> = T extends (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T

interface Instances {
  readonly instanceUuids: readonly string[]
  readonly numInstances?: number | undefined
}

interface Checked extends Instances {
  readonly numaTopology: { readonly cells: readonly { readonly id: number }[] } | null
}

/** What no field can say alone. */
export function checkRequest(spec: Checked, context: z.core.$RefinementCtx): void {
  const named = spec.instanceUuids.length
  if (named > 0 && spec.numInstances !== undefined && spec.numInstances !== named)
    context.addIssue({
      code: 'custom',
      path: ['numInstances'],
      input: spec.numInstances,
      message: `must equal the number of instanceUuids, ${named}`,
    })
  if (new Set(spec.instanceUuids).size !== named)
    context.addIssue({ code: 'custom', path: ['instanceUuids'], input: spec.instanceUuids, message: 'must not name an instance twice' })
  const cells = spec.numaTopology?.cells ?? []
  if (new Set(cells.map((cell) => cell.id)).size !== cells.length)
    context.addIssue({ code: 'custom', path: ['numaTopology', 'cells'], input: cells, message: 'must not number two cells alike' })
}

/** As many as are named, or one. */
export function countInstances<Spec extends Instances>(spec: Spec): Spec & { numInstances: number } {
  return { ...spec, numInstances: spec.numInstances ?? (spec.instanceUuids.length || 1) }
}

function split(key: string): [string, string?] {
  const colon = key.indexOf(':')
  return colon < 0 ? [key] : [key.slice(0, colon), key.slice(colon + 1)]
}
