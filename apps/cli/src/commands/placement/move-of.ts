import { graphql } from '@gantt/client'
import type { ServiceClient } from '../../call/connection.ts'
import { CommandFailure, EXIT, notFound } from '../../call/failure.ts'
import { inItsForm, readSpec, type SpecFlags, type SpecInput } from './spec.ts'

/** The values of --intent. */
export const INTENTS = ['CREATE', 'RESIZE', 'LIVE_MIGRATE', 'COLD_MIGRATE', 'EVACUATE', 'UNSHELVE', 'REBUILD', 'PROBE'] as const

export type Intent = (typeof INTENTS)[number]

const ASKED = graphql(`query Asked($id: ID!) { claim(id: $id) { id fence moveSpec } }`)

/** The claim to move, and the request for the move. Fields that no option sets are copied from the claim's request. */
export async function readMove(client: ServiceClient, id: string, flags: SpecFlags) {
  const { claim } = await client.request(ASKED, { id })
  if (claim === null) throw notFound(`there is no claim ${id}; nothing was changed`)
  const moveOf = { id: claim.id, fence: claim.fence }
  if (flags.spec !== undefined) return { moveOf, spec: await readSpec(flags) }
  if (flags.count !== undefined)
    throw new CommandFailure(EXIT.usage, '--count cannot be combined with --move-of: a claim is for one instance')
  if (flags.gpus !== undefined || flags.gpuShare !== undefined || flags.gpuModel !== undefined)
    throw new CommandFailure(EXIT.usage, 'a claim that moves keeps its GPUs; with --spec, other GPUs can be requested')
  if (claim.moveSpec === null) throw new CommandFailure(EXIT.refused, `the request of claim ${id} is no longer known; give it with --spec`)
  return { moveOf, spec: await withFlags(requestIn(claim.moveSpec), flags) }
}

/** A request in the form in which the service returns it: a SpecInput. */
function requestIn(spec: unknown): SpecInput {
  const [given] = typeof spec === 'object' && spec !== null ? Object.values(spec) : []
  return inItsForm('the request of the claim', given)
}

async function withFlags(spec: SpecInput, flags: SpecFlags): Promise<SpecInput> {
  const { vcpus, memoryMb, rootGb, zone } = flags
  const flavor = {
    ...(vcpus === undefined ? {} : { vcpus }),
    ...(memoryMb === undefined ? {} : { memoryMb }),
    ...(rootGb === undefined ? {} : { rootGb }),
  }
  const changed = { flavor, ...(zone === undefined ? {} : { availabilityZone: zone }) }
  if ('gantt' in spec) return { gantt: { ...spec.gantt, ...changed, flavor: { ...spec.gantt.flavor, ...flavor } } }
  return Object.keys(flavor).length === 0 && zone === undefined ? spec : inDocument(spec, changed)
}

/** Writes the values of options into a request in Nova's form. All other conditions of the document stay. */
async function inDocument(
  spec: Exclude<SpecInput, { readonly gantt: unknown }>,
  { flavor, availabilityZone }: { readonly flavor: object; readonly availabilityZone?: string },
): Promise<SpecInput> {
  const { parseRequestSpec, restated } = await import('@gantt/scheduler-core')
  const { asSent, importLegacyRequest, importNovaRequest } = await import('@gantt/scheduler-core/nova')
  const imported = 'nova' in spec ? importNovaRequest(spec.nova) : importLegacyRequest(spec.legacy)
  const parsed = imported.ok ? parseRequestSpec(imported.document) : imported
  if (!parsed.ok)
    throw new CommandFailure(EXIT.refused, 'the request of the claim has a form that this release cannot read; give it with --spec')
  const asked = parsed.value
  const { nova, instanceUuids } = restated(asked, {
    flavor: { ...asked.flavor, ...flavor },
    ...(availabilityZone === undefined ? {} : { availabilityZone }),
  })
  if (nova === null) throw new Error("a request in Nova's form keeps its document when its flavor or its zone changes")
  const sent = asSent(nova, instanceUuids)
  return 'nova' in spec ? { nova: sent } : { legacy: sent }
}
