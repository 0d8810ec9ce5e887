import type { RequestSpec } from '@gantt/scheduler-core'

/** A request as callers give it (SpecInput): in Nova's words where it came in them, else in ours, with lists of pairs for maps. */
export function toSpecInput({ nova, ...request }: RequestSpec): Readonly<Record<string, unknown>> {
  if (nova !== null) return nova.form === 'RequestSpec' ? { nova: nova.document } : { legacy: nova.document }
  const { flavor, image, schedulerHints, pciRequests, gang, instanceUuids, numInstances, ...rest } = request
  return {
    gantt: {
      ...rest,
      ...(instanceUuids.length > 0 ? { instanceUuids } : { numInstances }),
      flavor: { ...flavor, extraSpecs: pairsOf(flavor.extraSpecs) },
      image: image && { ...image, properties: pairsOf(image.properties) },
      pciRequests: pciInput(pciRequests),
      gang: gang.map((member) => ({
        ...member,
        flavor: { ...member.flavor, extraSpecs: pairsOf(member.flavor.extraSpecs) },
        pciRequests: pciInput(member.pciRequests),
      })),
      schedulerHints: Object.entries(schedulerHints).map(([key, values]) => ({ key, values })),
    },
  }
}

const pciInput = (requests: RequestSpec['pciRequests']) =>
  requests.map(({ specs, ...one }) => ({ ...one, specs: specs.map((properties) => ({ properties: pairsOf(properties) })) }))

const pairsOf = (record: Readonly<Record<string, string>>) => Object.entries(record).map(([key, value]) => ({ key, value }))
