import { graphql } from '@gantt/client'
import type { ServiceClient } from '../../call/connection.ts'
import { CommandFailure, EXIT, notFound } from '../../call/failure.ts'
import { readSpec, type SpecFlags } from './spec.ts'

/** The values of --intent. */
export const INTENTS = ['CREATE', 'RESIZE', 'LIVE_MIGRATE', 'COLD_MIGRATE', 'EVACUATE', 'UNSHELVE', 'REBUILD', 'PROBE'] as const

export type Intent = (typeof INTENTS)[number]

/** A flavor as stored with a request. */
interface KeptFlavor {
  readonly vcpus: number
  readonly memoryMb: number
  readonly extraSpecs: Readonly<Record<string, string>>
}

/** A request as it is stored. It is like RequestSpecInput, but has maps in place of lists of pairs. */
interface KeptSpec {
  readonly flavor: KeptFlavor
  readonly image: { readonly properties: Readonly<Record<string, string>> } | null
  readonly schedulerHints: Readonly<Record<string, readonly string[]>>
  readonly requestedDestination: object | null
  /** Present since version 1.1. */
  readonly nova?: object | null
  readonly pciRequests?: readonly { readonly count: number; readonly specs: readonly Readonly<Record<string, string>>[] }[]
}

const ASKED = graphql(`query Asked($id: ID!) { claim(id: $id) { id fence instanceUuid decision { spec { document } } } }`)

/** The claim to move, and the request for the move. Fields that no option sets are copied from the claim's request. */
export async function readMove(client: ServiceClient, id: string, flags: SpecFlags) {
  const { claim } = await client.request(ASKED, { id })
  if (claim === null) throw notFound(`there is no claim ${id}; nothing was changed`)
  const moveOf = { id: claim.id, fence: claim.fence }
  if (flags.spec !== undefined) return { moveOf, spec: await readSpec(flags) }
  if (flags.count !== undefined)
    throw new CommandFailure(EXIT.usage, '--count cannot be combined with --move-of: a claim is for one instance')
  const { document } = claim.decision.spec
  if (!isKept(document))
    throw new CommandFailure(EXIT.refused, `the request of claim ${id} has a form that this release cannot read; give it with --spec`)
  return { moveOf, spec: { gantt: withFlags(askedFor(document, claim.instanceUuid), flags) } }
}

/** True if a stored request has the fields that this file reads. All versions of stored requests have these fields. */
const isKept = (document: unknown): document is KeptSpec =>
  typeof document === 'object' &&
  document !== null &&
  'flavor' in document &&
  typeof document.flavor === 'object' &&
  'schedulerHints' in document &&
  typeof document.schedulerHints === 'object'

/**
 * The original request, reduced to the claim's instance and without a destination. The group is omitted, because it stays with the claim.
 * Nova's original document is omitted, because it names the old host.
 */
function askedFor(document: KeptSpec, instanceUuid: string | null) {
  const { flavor, image, schedulerHints, requestedDestination, pciRequests, nova: _, ...rest } = document
  return {
    ...rest,
    flavor: { ...flavor, extraSpecs: pairsOf(flavor.extraSpecs) },
    image: image === null ? null : { ...image, properties: pairsOf(image.properties) },
    schedulerHints: Object.entries(schedulerHints).map(([key, values]) => ({ key, values })),
    ...(pciRequests && {
      pciRequests: pciRequests.map((request) => ({ ...request, specs: request.specs.map((spec) => ({ properties: pairsOf(spec) })) })),
    }),
    requestedDestination: requestedDestination === null ? null : { ...requestedDestination, host: null, node: null },
    numInstances: 1,
    instanceUuids: instanceUuid === null ? [] : [instanceUuid],
    instanceGroup: null,
    forceHosts: [],
    forceNodes: [],
  }
}

function withFlags(asked: ReturnType<typeof askedFor>, { vcpus, memoryMb, rootGb, zone, gpus, gpuShare, gpuModel }: SpecFlags) {
  const flavor = {
    ...asked.flavor,
    ...(vcpus === undefined ? {} : { vcpus }),
    ...(memoryMb === undefined ? {} : { memoryMb }),
    ...(rootGb === undefined ? {} : { rootGb }),
  }
  if (gpus !== undefined || gpuShare !== undefined || gpuModel !== undefined)
    throw new CommandFailure(EXIT.usage, 'a claim that moves keeps its GPUs; with --spec, other GPUs can be requested')
  return { ...asked, flavor, ...(zone === undefined ? {} : { availabilityZone: zone }) }
}

const pairsOf = (map: Readonly<Record<string, string>>) => Object.entries(map).map(([key, value]) => ({ key, value }))
