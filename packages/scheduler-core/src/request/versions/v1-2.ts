import { z } from 'zod'
import { newerField, type Parsed, type Problem } from '../../text/problem.ts'
import { limits } from '../limits.ts'
import { checkRequest, countInstances, type DeepReadonly, flavor, list, name, positive } from './v1-0.ts'
import { type RequestSpecV1_1, requestFieldsV1_1 } from './v1-1.ts'

export const gangMemberText = 'Instances of a further kind, in addition to those with the flavor of the request.'

/** The fields of one kind of instances in a gang. */
export const gangMemberFields = {
  name: name.nullable().default(null).describe('Name of the kind, for display, e.g. worker.'),
  instances: positive(limits.instances).meta({
    description: 'How many of the `numInstances` instances are of this kind.',
    unit: 'instances',
  }),
  flavor: flavor.describe('The resources of one instance of this kind.'),
  numaTopology: requestFieldsV1_1.numaTopology,
  gpus: requestFieldsV1_1.gpus,
  pciRequests: requestFieldsV1_1.pciRequests,
  requestedResources: requestFieldsV1_1.requestedResources,
}

const topologySpread = z
  .strictObject({
    topologyKey: name.describe('host, zone, or a metadata key of aggregates. Hosts with the same value of the key form one domain.'),
    maxSkew: positive(limits.instances).nullable().default(null).meta({
      description: 'A domain may have at most this many members more than the domain with the fewest members.',
      unit: 'instances',
    }),
    maxPerDomain: positive(limits.instances)
      .nullable()
      .default(null)
      .meta({ description: 'At most this many members may be in one domain.', unit: 'instances' }),
  })
  .refine(({ maxSkew, maxPerDomain }) => maxSkew !== null || maxPerDomain !== null, 'must have maxSkew or maxPerDomain')
  .describe('How the members of the server group are spread over the domains of one topology.')

/** The fields of RequestSpec 1.2. */
export const requestFieldsV1_2 = {
  ...requestFieldsV1_1,
  version: z.literal('1.2').default('1.2').describe('Version of this form.'),
  gang: list(z.strictObject(gangMemberFields).describe(gangMemberText), limits.gangMembers)
    .default([])
    .describe(
      'Instances of further kinds, in addition to those with `flavor`. Either all instances are placed, or none. Of the `numInstances` instances, the first have `flavor`, and those of the other kinds follow in this order.',
    ),
  topologySpread: list(topologySpread, limits.topologySpreads)
    .default([])
    .describe('How the members of instanceGroup are spread over the domains of a topology.'),
}

interface Gang {
  readonly instanceUuids: readonly string[]
  readonly numInstances?: number | undefined
  readonly instanceGroup: object | null
  readonly gang: readonly {
    readonly instances: number
    readonly numaTopology: { readonly cells: readonly { readonly id: number }[] } | null
  }[]
  readonly topologySpread: readonly { readonly topologyKey: string }[]
}

/** Checks the rules between several fields of gangs and topology spreads. */
export function checkGang(spec: Gang, context: z.core.$RefinementCtx): void {
  const refuse = (path: keyof Gang, message: string) => context.addIssue({ code: 'custom', path: [path], input: spec[path], message })
  const others = spec.gang.reduce((sum, { instances }) => sum + instances, 0)
  const total = spec.numInstances ?? (spec.instanceUuids.length || undefined)
  if (total !== undefined && others > 0 && total <= others)
    refuse('gang', `must leave an instance for flavor: its instances are ${others} of ${total}`)
  if (others >= limits.instances) refuse('gang', `must be of fewer than ${limits.instances} instances in total, not ${others}`)
  for (const { numaTopology } of spec.gang) {
    const cells = numaTopology?.cells ?? []
    if (new Set(cells.map(({ id }) => id)).size !== cells.length) refuse('gang', 'must not give two cells of a member the same number')
  }
  if (spec.topologySpread.length > 0 && spec.instanceGroup === null)
    refuse('topologySpread', 'must be empty without instanceGroup, whose members are spread')
  if (new Set(spec.topologySpread.map(({ topologyKey }) => topologyKey)).size !== spec.topologySpread.length)
    refuse('topologySpread', 'must not name a topology key twice')
}

/**
 * Sets `numInstances` if it is absent: to the count of `instanceUuids`, or to one instance with `flavor` plus the instances of the gang.
 */
export function countGang<Spec extends Pick<Gang, 'instanceUuids' | 'numInstances' | 'gang'>>(spec: Spec): Spec & { numInstances: number } {
  const others = spec.gang.reduce((sum, { instances }) => sum + instances, 0)
  return countInstances({ ...spec, numInstances: spec.numInstances ?? (spec.instanceUuids.length || 1 + others) })
}

/** RequestSpec 1.2 adds gangs of instances with different flavors, and topology spreads. */
export const requestSpecV1_2 = z.strictObject(requestFieldsV1_2).superRefine(checkRequest).superRefine(checkGang).transform(countGang)

type Output = z.output<typeof requestSpecV1_2>

/** The type of Nova's document is not deeply read-only, because the type of JSON is recursive. */
export type RequestSpecV1_2 = DeepReadonly<Omit<Output, 'nova'>> & Pick<RequestSpecV1_1, 'nova'>

/** Converts a request of 1.1 to 1.2. The fields that 1.2 added get their defaults. */
export const upgradeFrom1_1 = (spec: RequestSpecV1_1): RequestSpecV1_2 => ({ ...spec, version: '1.2', gang: [], topologySpread: [] })

/** Converts a request of 1.2 to 1.1, or returns a problem for each field that 1.1 cannot express. */
export function downgradeTo1_1({ gang, topologySpread, ...spec }: RequestSpecV1_2): Parsed<RequestSpecV1_1> {
  const problems: Problem[] = []
  if (gang.length > 0) problems.push(newerField('spec', '1.1', ['gang'], gang, 'an empty list'))
  if (topologySpread.length > 0) problems.push(newerField('spec', '1.1', ['topologySpread'], topologySpread, 'an empty list'))
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: { ...spec, version: '1.1' } }
}
