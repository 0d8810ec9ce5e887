import { z } from 'zod'
import { newerField, type Parsed, type Problem } from '../../text/problem.ts'
import { isJsonObject, type JsonObject } from '../../values/json.ts'
import { limits } from '../limits.ts'
import {
  checkRequest,
  countInstances,
  type DeepReadonly,
  destinationFields,
  keyValues,
  list,
  name,
  numaCellFields,
  positive,
  type RequestSpecV1_0,
  requestFields,
  uuid,
  whole,
} from './v1-0.ts'

const numaCell = z
  .strictObject({
    ...numaCellFields,
    cpuPolicy: z
      .enum(['shared', 'dedicated', 'mixed'])
      .default('shared')
      .describe(
        "shared: the guest's CPUs share host CPUs. dedicated: each guest CPU gets its own host CPU. mixed: each guest CPU in `dedicatedCpus` gets its own host CPU, and the others share.",
      ),
    dedicatedCpus: list(whole(limits.cpus), limits.cpus)
      .default([])
      .describe('Required with the policy mixed, and only allowed with it: the guest CPUs in `cpus` that get their own host CPU.'),
    cpuThreadPolicy: z
      .enum(['prefer', 'isolate', 'require'])
      .nullable()
      .default(null)
      .describe(
        'How dedicated CPUs use the threads of a core. prefer: threads of one core are preferred. isolate: each guest CPU gets a core of its own. require: threads of one core are required. null: any threads.',
      ),
    pageSize: z
      .union([z.enum(['small', 'large', 'any']), positive(limits.memoryMib * 1_024)], {
        error: 'must be small, large, any or a page size in KiB, a whole number of 1 or more',
      })
      .nullable()
      .default(null)
      .meta({ description: 'The pages that back the memory, by kind or by size; null: pages are not counted.', unit: 'KiB' }),
  })
  .superRefine(({ cpus, cpuPolicy, dedicatedCpus }, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['dedicatedCpus'], input: dedicatedCpus, message })
    const own = new Set(cpus)
    if (cpuPolicy === 'mixed' && dedicatedCpus.length === 0) refuse('must name a CPU: cpuPolicy is mixed')
    if (cpuPolicy !== 'mixed' && dedicatedCpus.length > 0) refuse(`must be empty: cpuPolicy is ${cpuPolicy}, not mixed`)
    if (!dedicatedCpus.every((cpu) => own.has(cpu))) refuse('must be CPUs of the cell')
    if (new Set(dedicatedCpus).size !== dedicatedCpus.length) refuse('must not list a CPU twice')
  })
  .describe('A NUMA cell of the guest.')

const pciRequest = z
  .strictObject({
    requestId: name.nullable().default(null).describe('Id that links the devices to another object, such as a network port.'),
    alias: name.nullable().default(null).describe('Name that operators gave to the kind of device.'),
    count: positive(limits.entries).meta({ description: 'Number of devices.', unit: 'devices' }),
    specs: list(keyValues.describe('Properties of a PCI device, e.g. vendor_id and product_id. A device must have all of them.')).describe(
      'Alternative descriptions of the devices. A device is accepted if it has all properties of at least one of them. With an empty list no device is accepted.',
    ),
    numaPolicy: z
      .enum(['legacy', 'required', 'preferred', 'socket'])
      .default('legacy')
      .describe(
        'How near the devices must be to the host cells that the guest uses. required: in one of these cells. legacy: in one of these cells, or in a location that is not known. preferred: in one of these cells if possible. socket: on a socket of these cells.',
      ),
  })
  .describe('PCI devices of one kind.')

/** A document of Nova, stored unchanged. */
export const novaDocument = z
  .custom<JsonObject>(isJsonObject, { error: 'must be a JSON object', abort: true })
  .refine(
    (document) => JSON.stringify(document).length <= limits.novaDocumentLength,
    `must be at most ${limits.novaDocumentLength} characters of JSON`,
  )

/** The fields of RequestSpec 1.1. */
export const requestFieldsV1_1 = {
  ...requestFields,
  version: z.literal('1.1').default('1.1').describe('Version of this form.'),
  numaTopology: z
    .strictObject({
      cells: list(numaCell, limits.numaCells)
        .min(1)
        .describe('The NUMA cells of the guest. Each is placed on a different cell of the host.'),
      emulatorThreadsPolicy: z
        .enum(['share', 'isolate'])
        .nullable()
        .default(null)
        .describe(
          "Where the emulator's own threads run. share: on the host's shared CPUs. isolate: on a CPU of their own. null: on the guest's CPUs.",
        ),
    })
    .describe('How the guest is divided into NUMA cells.')
    .nullable()
    .default(null)
    .describe('How the guest is divided into NUMA cells; null: it is not divided.'),
  requestedDestination: z
    .strictObject({
      ...destinationFields,
      forbiddenAggregates: list(uuid).default([]).describe('The host must not be in any of these aggregates.'),
    })
    .describe('Restrictions on the hosts where the instances may be placed.')
    .nullable()
    .default(null)
    .describe('Restrictions on the hosts where the instances may be placed; null: no restrictions.'),
  pciRequests: list(pciRequest, limits.pciRequests).default([]).describe('PCI devices. No two requests share a device.'),
  forceVerify: z
    .enum(['ALL', 'HARD', 'NONE'])
    .default('ALL')
    .describe(
      'Which filters run on the hosts of forceHosts and forceNodes. ALL: all filters. NONE: only the filters for the rules that every claim must keep (enough of every resource kind, server groups). HARD: these and ComputeFilter. With `compat: nova` the filters that the profile lists never run on these hosts, so ALL and HARD mean the same: the checks of Placement.',
    ),
  nova: z
    .strictObject({
      form: z
        .enum(['RequestSpec', 'legacy'])
        .describe("A RequestSpec in Nova's wire form, or the older request_spec and filter_properties."),
      document: novaDocument.describe('The document, stored unchanged, because a missing key and a key with null have different meanings.'),
    })
    .nullable()
    .default(null)
    .describe(
      "The request in Nova's form, if it was made in that form. Nova's rules read this field. The other fields are derived from it.",
    ),
}

/** RequestSpec 1.1 adds mixed CPUs, thread policies, page sizes, emulator threads, PCI devices, and requests in Nova's form. */
export const requestSpecV1_1 = z.strictObject(requestFieldsV1_1).superRefine(checkRequest).transform(countInstances)

type Output = z.output<typeof requestSpecV1_1>

/** The type of Nova's document is not deeply read-only, because the type of JSON is recursive. */
export type RequestSpecV1_1 = DeepReadonly<Omit<Output, 'nova'>> & { readonly nova: Readonly<NonNullable<Output['nova']>> | null }

/** Converts a request of 1.0 to 1.1. The fields that 1.1 added get their defaults. */
export function upgradeFrom1_0(spec: RequestSpecV1_0): RequestSpecV1_1 {
  return {
    ...spec,
    version: '1.1',
    numaTopology: spec.numaTopology && {
      cells: spec.numaTopology.cells.map((cell) => ({ ...cell, dedicatedCpus: [], cpuThreadPolicy: null, pageSize: null })),
      emulatorThreadsPolicy: null,
    },
    pciRequests: [],
    requestedDestination: spec.requestedDestination && { ...spec.requestedDestination, forbiddenAggregates: [] },
    forceVerify: 'ALL',
    nova: null,
  }
}

/** Converts a request of 1.1 to 1.0, or returns a problem for each field that 1.0 cannot express. */
export function downgradeTo1_0(spec: RequestSpecV1_1): Parsed<RequestSpecV1_0> {
  const { pciRequests, requestedDestination, forceVerify, nova, numaTopology, ...rest } = spec
  const problems: Problem[] = []
  const lacks = (path: readonly string[], found: unknown, expected: string): void => {
    problems.push(newerField('spec', '1.0', path, found, expected))
  }
  if (pciRequests.length > 0) lacks(['pciRequests'], pciRequests, 'an empty list')
  const forbidden = requestedDestination?.forbiddenAggregates ?? []
  if (forbidden.length > 0) lacks(['requestedDestination', 'forbiddenAggregates'], forbidden, 'an empty list')
  if (forceVerify !== 'ALL') lacks(['forceVerify'], forceVerify, 'ALL')
  if (nova !== null) lacks(['nova'], nova, 'null')
  if (numaTopology !== null && numaTopology.emulatorThreadsPolicy !== null)
    lacks(['numaTopology', 'emulatorThreadsPolicy'], numaTopology.emulatorThreadsPolicy, 'null')
  const cells = numaTopology?.cells.map(({ cpuPolicy, dedicatedCpus: _, cpuThreadPolicy, pageSize, ...cell }, i) => {
    const at = ['numaTopology', 'cells', String(i)]
    if (cpuThreadPolicy !== null) lacks([...at, 'cpuThreadPolicy'], cpuThreadPolicy, 'null')
    if (pageSize !== null) lacks([...at, 'pageSize'], pageSize, 'null')
    if (cpuPolicy !== 'mixed') return { ...cell, cpuPolicy }
    lacks([...at, 'cpuPolicy'], cpuPolicy, 'shared or dedicated')
    return { ...cell, cpuPolicy: 'dedicated' as const }
  })
  if (problems.length > 0) return { ok: false, problems }
  const { forbiddenAggregates: _, ...destination } = requestedDestination ?? { host: null, node: null, aggregates: [] }
  return {
    ok: true,
    value: {
      ...rest,
      version: '1.0',
      requestedDestination: requestedDestination && destination,
      numaTopology: cells === undefined ? null : { cells },
    },
  }
}
