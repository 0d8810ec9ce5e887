import type { Client } from '@gantt/client'
import { CommandFailure, EXIT, notThere } from './failure.ts'
import { readSpec, type SpecFlags } from './spec.ts'

/** What a request may be for. */
export const INTENTS = ['CREATE', 'RESIZE', 'LIVE_MIGRATE', 'COLD_MIGRATE', 'EVACUATE', 'UNSHELVE', 'REBUILD', 'PROBE'] as const

export type Intent = (typeof INTENTS)[number]

/** What an instance takes, as requests are kept. */
interface KeptFlavor {
  readonly extraSpecs: Readonly<Record<string, string>>
}

/** A request as it is kept: like RequestSpecInput, but maps are maps. */
interface KeptSpec {
  readonly flavor: KeptFlavor
  readonly image: { readonly properties: Readonly<Record<string, string>> } | null
  readonly schedulerHints: Readonly<Record<string, readonly string[]>>
  readonly requestedDestination: object | null
  /** Since 1.1. */
  readonly nova?: object | null
  readonly pciRequests?: readonly { readonly specs: readonly Readonly<Record<string, string>>[] }[]
}

interface Asked {
  readonly id: string
  readonly fence: number
  readonly instanceUuid: string | null
  readonly decision: { readonly spec: { readonly document: KeptSpec } }
}

const ASKED = `query Asked($id: ID!) { claim(id: $id) { id fence instanceUuid decision { spec { document } } } }`

/** The part of a call that is about a claim: which, and what is asked for it. What the flags do not say is as it was asked when the claim was made. */
export async function readMove(client: Client, id: string, flags: SpecFlags) {
  const { claim } = await client.request<{ claim: Asked | null }>(ASKED, { id })
  if (claim === null) throw notThere(`there is no claim ${id}; nothing was changed`)
  const moveOf = { id: claim.id, fence: claim.fence }
  if (flags.spec !== undefined) return { moveOf, spec: await readSpec(flags) }
  if (flags.count !== undefined) throw new CommandFailure(EXIT.usage, '--count does not go with --move-of: a claim is of one instance')
  return { moveOf, spec: { gantt: withFlags(askedFor(claim), flags) } }
}

/** What was asked, for the claim's instance alone and anywhere; its group follows it by itself. Nova's own words would still say where it was. */
function askedFor({ instanceUuid, decision: { spec } }: Asked) {
  const { flavor, image, schedulerHints, requestedDestination, pciRequests, nova: _, ...rest } = spec.document
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
    throw new CommandFailure(EXIT.usage, 'a claim that moves keeps its GPUs; with --spec, others can be asked for')
  return { ...asked, flavor, ...(zone === undefined ? {} : { availabilityZone: zone }) }
}

const pairsOf = (map: Readonly<Record<string, string>>) => Object.entries(map).map(([key, value]) => ({ key, value }))
