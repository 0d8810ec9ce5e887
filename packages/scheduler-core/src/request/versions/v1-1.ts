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
      .describe('dedicated: each guest CPU gets a host CPU of its own; mixed: those of dedicatedCpus do.'),
    dedicatedCpus: list(whole(limits.cpus), limits.cpus)
      .default([])
      .describe('With mixed, and only then: the guest CPUs, of those in cpus, that get a host CPU of their own.'),
    cpuThreadPolicy: z
      .enum(['prefer', 'isolate', 'require'])
      .nullable()
      .default(null)
      .describe(
        'How dedicated CPUs use the threads of a core: prefer threads of one core, isolate: a core each, require threads of one core; null: as it comes.',
      ),
    pageSize: z
      .union([z.enum(['small', 'large', 'any']), positive(limits.memoryMib * 1_024)], {
        error: 'must be small, large, any or a page size in KiB, a whole number of 1 or more',
      })
      .nullable()
      .default(null)
      .meta({ description: 'Pages that back the memory: a kind of them, or their size; null: pages are not counted.', unit: 'KiB' }),
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
    requestId: name.nullable().default(null).describe('Id that ties the devices to, say, a network port.'),
    alias: name.nullable().default(null).describe('Name that operators gave to the kind of device.'),
    count: positive(limits.entries).meta({ description: 'Number of devices.', unit: 'devices' }),
    specs: list(keyValues.describe('Properties that a PCI device must have, all of them, e.g. vendor_id and product_id.')).describe(
      'Alternatives: a device that has all properties of one of them will do; empty: none will.',
    ),
    numaPolicy: z
      .enum(['legacy', 'required', 'preferred', 'socket'])
      .default('legacy')
      .describe(
        "How near to the guest's cells the devices must be: in one of them (required), there or where that is not known (legacy), there if possible (preferred), on their socket (socket).",
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
      cells: list(numaCell, limits.numaCells).min(1).describe("Each goes to a cell of the host's own."),
      emulatorThreadsPolicy: z
        .enum(['share', 'isolate'])
        .nullable()
        .default(null)
        .describe(
          "Where the emulator's own threads run: among the host's shared CPUs (share), on a CPU of their own (isolate); null: on the guest's.",
        ),
    })
    .describe('How the guest is divided into NUMA cells.')
    .nullable()
    .default(null)
    .describe('How the guest is divided; null: it is not.'),
  requestedDestination: z
    .strictObject({
      ...destinationFields,
      forbiddenAggregates: list(uuid).default([]).describe('Aggregates in none of which the host may be.'),
    })
    .describe('Where the instances should go.')
    .nullable()
    .default(null)
    .describe('Where it should go; null: anywhere.'),
  pciRequests: list(pciRequest, limits.pciRequests).default([]).describe('PCI devices, each request with devices of its own.'),
  forceVerify: z
    .enum(['ALL', 'HARD', 'NONE'])
    .default('ALL')
    .describe(
      'Which filters run on hosts of forceHosts and forceNodes: all; those of what cannot be otherwise (fit of every kind, ComputeFilter, server groups); none but what every claim needs.',
    ),
  nova: z
    .strictObject({
      form: z
        .enum(['RequestSpec', 'legacy'])
        .describe("A RequestSpec in Nova's wire form, or the request_spec and filter_properties of old."),
      document: novaDocument.describe('Kept as it came: a key that is missing and a key with null are two things.'),
    })
    .nullable()
    .default(null)
    .describe("The request as Nova wrote it, where it came so: Nova's rules read it; the other fields are derived from it."),
}

/** RequestSpec 1.1: mixed CPUs, thread policies, page sizes, emulator threads, PCI devices, and requests as Nova wrote them. */
export const requestSpecV1_1 = z.strictObject(requestFieldsV1_1).superRefine(checkRequest).transform(countInstances)

type Output = z.output<typeof requestSpecV1_1>

/** The type of Nova's document is not deeply read-only, since JSON may be nested to any depth. */
export type RequestSpecV1_1 = DeepReadonly<Omit<Output, 'nova'>> & { readonly nova: Readonly<NonNullable<Output['nova']>> | null }

/** Converts a request of 1.0, which uses none of the fields that 1.1 added. */
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

/** The same request in the form of 1.0, or every field that 1.0 cannot express. */
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
