import { z } from 'zod'
import { limits } from '../limits.ts'

export const name = z.string().min(1).max(limits.nameLength)
/** A UUID, converted to lower case, because UUIDs are compared as text. */
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
    `must be at most ${limits.extraSpecsLength} characters in total`,
  )

/** The resources of one instance. */
export const flavor = z.strictObject({
  name: name
    .nullable()
    .default(null)
    .describe('Name of the flavor. Only the filter AggregateTypeAffinityFilter reads it; otherwise it is for display.'),
  vcpus: whole(limits.vcpus).meta({ description: 'Virtual CPUs.', unit: 'CPUs' }),
  memoryMb: whole(limits.memoryMib).meta({ description: 'Memory of one instance.', unit: 'MiB' }),
  rootGb: whole(limits.diskGib)
    .default(0)
    .meta({ description: 'Root disk. It is not counted if the instance boots from a volume.', unit: 'GiB' }),
  ephemeralGb: whole(limits.diskGib).default(0).meta({ description: 'Ephemeral disk.', unit: 'GiB' }),
  swapMb: whole(limits.memoryMib).default(0).meta({ description: 'Swap disk. It is rounded up to GiB when it is counted.', unit: 'MiB' }),
  extraSpecs: keyValues
    .default({})
    .superRefine((pairs, context) => {
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
          context.addIssue({
            code: 'custom',
            path: [key],
            input: value,
            message: 'must be trait:NAME with the value required or forbidden',
          })
      }
    })
    .describe(
      'Extra specs of the flavor. resources:CLASS replaces or adds an amount. trait:NAME with the value required or forbidden adds a trait. Other keys have an effect only if a filter reads them.',
    ),
})

const image = z.strictObject({
  id: name.nullable().default(null).describe('Id of the image.'),
  architecture: name.nullable().default(null).describe('CPU architecture that the image needs, e.g. x86_64.'),
  minRamMb: whole(limits.memoryMib).default(0).meta({
    description:
      "The smallest memory that a flavor for this image may have. A call that creates, resizes or rebuilds with less memory is refused, as by Nova's API. The field has no effect in a Nova document, which Nova's API has already checked; `ignoredFields` then lists the field.",
    unit: 'MiB',
  }),
  minDiskGb: whole(limits.diskGib).default(0).meta({
    description:
      "The smallest root disk that a flavor for this image may have. A call that creates, resizes or rebuilds with a smaller root disk is refused, unless the root disk is 0 or on a volume. The field has no effect in a Nova document, which Nova's API has already checked; `ignoredFields` then lists the field.",
    unit: 'GiB',
  }),
  properties: keyValues.default({}).describe('Image properties that restrict the hosts, e.g. img_hv_type.'),
})

/** The fields of a server group. */
export const instanceGroupFields = {
  uuid: uuid.describe('UUID of the group. The first claim in the group fixes its policy and `maxServerPerHost`.'),
  policy: z
    .enum(['AFFINITY', 'ANTI_AFFINITY', 'SOFT_AFFINITY', 'SOFT_ANTI_AFFINITY'])
    .describe('The policy of the group: members together on one host, or on different hosts. The soft policies are preferences.'),
  maxServerPerHost: positive(limits.instances)
    .nullable()
    .default(null)
    .meta({ description: 'With ANTI_AFFINITY: at most this many members on one host; null: 1.', unit: 'instances' }),
  hosts: list(name).default([]).describe('Hosts with members of the group that this service did not place.'),
}

const instanceGroup = z.strictObject(instanceGroupFields)

/** The fields of a guest's NUMA cell in RequestSpec 1.0. */
export const numaCellFields = {
  id: whole(limits.numaCells).describe('The id of the cell in the guest.'),
  cpus: list(whole(limits.cpus), limits.cpus).min(1).describe("The guest's CPU ids in this cell. Only their count affects the placement."),
  memoryMb: positive(limits.memoryMib).meta({ description: 'Memory of the cell.', unit: 'MiB' }),
  cpuPolicy: z.enum(['shared', 'dedicated']).default('shared').describe('dedicated: each guest CPU gets a host CPU of its own.'),
}

/** The fields of a request for GPUs. */
export const gpuFields = {
  count: positive(limits.gpusPerHost).default(1).meta({ description: 'Number of GPUs.', unit: 'GPUs' }),
  shareMilli: positive(1_000).default(1_000).meta({ description: 'Share of each GPU; 1000 means whole GPUs.', unit: 'thousandths' }),
  models: list(name).default([]).describe('Models that are accepted; empty: any model.'),
}

const gpus = z.strictObject(gpuFields).describe('GPUs of an instance, whole or shares of them.')

const resourceGroup = z
  .strictObject({
    suffix: z.string().max(64).default('').describe('Suffix that distinguishes the group from others.'),
    amounts: list(
      z
        .strictObject({
          resourceClass: resourceClass.describe('The resource class, e.g. VCPU or CUSTOM_FPGA.'),
          amount: whole(limits.amount).meta({
            description: 'Amount that is added to what the flavor requests of the class.',
            unit: 'units of the class',
          }),
        })
        .describe('An amount of one resource class.'),
    ).describe('The amounts, one per resource class.'),
    requiredTraits: list(trait).default([]).describe('The host must have all of these traits.'),
    forbiddenTraits: list(trait).default([]).describe('The host must not have any of these traits.'),
    memberOf: list(uuid).default([]).describe('The host must be in at least one of these aggregates; empty: any host.'),
  })
  .describe('Further resources and traits that an instance needs.')

/** The fields of the requested destination. */
export const destinationFields = {
  host: name.nullable().default(null).describe('The only host that may be chosen.'),
  node: name.nullable().default(null).describe('The only node that may be chosen.'),
  aggregates: list(uuid).default([]).describe('The host must be in at least one of these aggregates; empty: any host.'),
}

/** The fields of RequestSpec 1.0. */
export const requestFields = {
  version: z.literal('1.0').default('1.0').describe('Version of this form.'),
  instanceUuids: list(uuid, limits.instances)
    .default([])
    .describe('UUIDs of the instances. If given, there must be one for each instance.'),
  numInstances: positive(limits.instances)
    .optional()
    .meta({ description: 'How many instances to place; by default as many as `instanceUuids` names, or 1.', unit: 'instances' }),
  projectId: name.nullable().default(null).describe('Project that the instances belong to.'),
  userId: name.nullable().default(null).describe('User who requested the instances.'),
  flavor: flavor.describe('The resources of one instance.'),
  image: image.nullable().default(null).describe('What the image needs of a host.'),
  availabilityZone: name.nullable().default(null).describe('Only hosts in this availability zone; null: any zone.'),
  instanceGroup: instanceGroup.nullable().default(null).describe('The server group of the instances.'),
  numaTopology: z
    .strictObject({
      cells: list(z.strictObject(numaCellFields), limits.numaCells)
        .min(1)
        .describe('The NUMA cells of the guest. Each is placed on a different cell of the host.'),
    })
    .nullable()
    .default(null)
    .describe('How the guest is divided into NUMA cells; null: it is not divided.'),
  gpus: gpus.nullable().default(null).describe('GPUs, whole or shares of them; null: none.'),
  requestedResources: list(resourceGroup, 64).default([]).describe('Further resources and traits, in addition to those of the flavor.'),
  requestedDestination: z
    .strictObject(destinationFields)
    .nullable()
    .default(null)
    .describe('Restrictions on the hosts where the instances may be placed; null: no restrictions.'),
  forceHosts: list(name)
    .default([])
    .describe(
      'Only these hosts are candidates. The filters still run on them, except the filters that a profile with `compat: nova` lists.',
    ),
  forceNodes: list(name).default([]).describe('Only these nodes are candidates. The filters still run on them.'),
  ignoreHosts: list(name, limits.instances).default([]).describe('Hosts on which no instance may be placed.'),
  schedulerHints: z
    .record(
      name.describe('Name of the hint, e.g. different_host.'),
      list(z.string().max(limits.valueLength)).describe('Values of the hint.'),
    )
    .refine((hints) => Object.keys(hints).length <= limits.entries, `must hold at most ${limits.entries} hints`)
    .default({})
    .describe("A scheduler hint in Nova's form, e.g. different_host, with its values."),
  isBfv: z
    .boolean()
    .default(false)
    .describe('True if the instances boot from a volume, so that their root disk uses no disk space of the host.'),
}

/** RequestSpec 1.0, the first published version. A published version never changes. A new version gets a new file. */
export const requestSpecV1_0 = z.strictObject(requestFields).superRefine(checkRequest).transform(countInstances)

export type RequestSpecV1_0 = DeepReadonly<z.output<typeof requestSpecV1_0>>

/** Makes a type read-only, including its nested lists and objects. */
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

/** Checks the rules between several fields of a request. */
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
    context.addIssue({ code: 'custom', path: ['numaTopology', 'cells'], input: cells, message: 'must not give two cells the same id' })
}

/** Sets `numInstances` if it is absent: to the count of `instanceUuids`, or to 1 without uuids. */
export function countInstances<Spec extends Instances>(spec: Spec): Spec & { numInstances: number } {
  return { ...spec, numInstances: spec.numInstances ?? (spec.instanceUuids.length || 1) }
}

function split(key: string): [string, string?] {
  const colon = key.indexOf(':')
  return colon < 0 ? [key] : [key.slice(0, colon), key.slice(colon + 1)]
}
