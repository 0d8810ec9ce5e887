import { z } from 'zod'
import { OWN_AFFINITY, PLACEMENT_RULES } from '../values/levels.ts'
import { type KindName, kindNames } from './grants.ts'
import { levelOfPart } from './part-levels.ts'
import { solverOptionsSchema } from './solver-options.ts'

const options = z.record(z.string(), z.json()).default({}).describe('Options, as an object.')

/** The schedulers of the release. A profile can also name a scheduler of a plug-in. */
export const ownSchedulers = ['filter', 'chance', 'solver'] as const

const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be 1 to 63 lower-case letters, digits and dashes, and must not begin with a dash')

/** Nova's default of scheduler.max_attempts: a chosen host and two alternates. */
export const USUAL_NOVA_ATTEMPTS = 3

/**
 * The checks of Nova's Placement service. Each description begins with the Nova option that enables the check. The options have different
 * defaults in different releases of Nova.
 */
export const placementSchema = z
  .strictObject({
    availabilityZone: z
      .boolean()
      .default(true)
      .describe(
        'scheduler.query_placement_for_availability_zone: Placement checks availability zones. If false, only AvailabilityZoneFilter checks them.',
      ),
    defaultAvailabilityZone: z
      .string()
      .min(1)
      .max(255)
      .default('nova')
      .describe('default_availability_zone: the zone of hosts for which no aggregate sets a zone.'),
    limitTenants: z
      .boolean()
      .default(false)
      .describe(
        'scheduler.limit_tenants_to_placement_aggregate: projects that aggregates name in `filter_tenant_id...` get only hosts of these aggregates.',
      ),
    tenantsNeedAggregate: z
      .boolean()
      .default(false)
      .describe('scheduler.placement_aggregate_required_for_tenants: with limitTenants, projects that no aggregate names get no hosts.'),
    isolateAggregates: z
      .boolean()
      .default(false)
      .describe(
        'scheduler.enable_isolated_aggregate_filtering: aggregates with the metadata `trait:NAME` = `required` are reserved for requests that require the trait.',
      ),
    imageType: z
      .boolean()
      .default(false)
      .describe(
        "scheduler.query_placement_for_image_type_support: hosts must have the trait COMPUTE_IMAGE_TYPE_... for the image's disk format.",
      ),
  })
  .describe("What Nova's Placement service checks before Nova's filters run.")

const assignment = z
  .strictObject({ rule: z.string().max(64).describe('Name of the rule, e.g. emptiest.'), options: options.optional() })
  .describe('How resources inside a host are chosen.')
  .optional()
const assignments = {
  classes: assignment.describe('How units of resource classes are chosen.'),
  numa: assignment.describe('How NUMA cells are chosen.'),
  gpu: assignment.describe('How GPUs are chosen.'),
  pci: assignment.describe('How PCI devices are chosen.'),
  pools: assignment.describe('How disk space in shared pools is chosen.'),
} as const satisfies Readonly<Record<KindName, typeof assignment>>

/**
 * A profile: how a service decides, as data. It has the filters in their order, the weighers with multipliers, the normalisation of raw
 * scores, the order of hosts with equal scores, and the assignment rules inside a host. A version is never edited. A change creates a new
 * version.
 */
export const profileSchema = z
  .strictObject({
    name,
    /** The version number: 0 for a profile of the release, 1 or more for a version in the log. */
    number: z
      .number()
      .int()
      .min(0)
      .max(2 ** 31),
    note: z.string().max(4_096).default('').describe('The purpose of the version, for people.'),
    filters: z
      .array(
        z
          .strictObject({
            name: z.string().max(128).describe('Name of the filter.'),
            options,
            shadow: z
              .boolean()
              .optional()
              .describe(
                'True: the filter refuses no host, but explanations show which hosts it would refuse. Not allowed for filters that are rules of every claim.',
              ),
          })
          .describe('A filter of a profile, with its settings.'),
      )
      .max(64)
      .describe('The filters run in this order. The fit filters of all resource kinds always run at the end, even if they are not listed.'),
    weighers: z
      .array(
        z
          .strictObject({
            name: z.string().max(128).describe('Name of the weigher.'),
            multiplier: z
              .number()
              .min(-1e9)
              .max(1e9)
              .describe('Factor by which the normalised value is multiplied. A negative factor reverses the order.'),
            options,
          })
          .describe('A weigher of a profile, with its settings.'),
      )
      .max(64)
      .describe('The contributions of the weighers are added up in this order.'),
    normalisation: z
      .enum(['minmax', 'fixed', 'rank'])
      .default('minmax')
      .describe(
        'How the raw values of weighers are normalised. minmax: (x - min) / (max - min) over the hosts that passed, 0 if all values are equal, as in Nova. fixed: raw values unchanged. rank: share of hosts with a lower raw value.',
      ),
    tieOrder: z
      .enum(['first-seen', 'seeded'])
      .default('first-seen')
      .describe("How hosts with equal scores are ordered: in the order in which they first reported, or shuffled by the decision's seed."),
    assignment: z.strictObject(assignments).default({}).describe('How resources inside a host are chosen, by resource kind.'),
    collects: z
      .array(z.enum(kindNames))
      .max(kindNames.length)
      .optional()
      .describe(
        'The kinds of resources that requests with this profile use, and that hosts are asked to report; absent: all kinds. A request may use another kind, but hosts that do not report the kind refuse the request.',
      ),
    scheduler: name
      .default('filter')
      .describe(
        'filter: the best host that passes; chance: any host that passes; solver: the best arrangement of all instances together; any other name: the scheduler of a plug-in.',
      ),
    solver: solverOptionsSchema.optional().describe('The limits of the solver, for the scheduler `solver`.'),
    hostSubsetSize: z
      .number()
      .int()
      .min(1)
      .max(1_000)
      .default(1)
      .describe("Nova's host_subset_size: the host is chosen at random among this many best hosts, by the decision's seed."),
    compat: z
      .literal('nova')
      .optional()
      .describe(
        "nova: filters and weighers are Nova's own with their option names, and instances are placed in Nova's order, with all of its peculiarities (docs/nova-differences.md). A claim must still fit on its host.",
      ),
    nova: z
      .strictObject({
        maxAttempts: z
          .number()
          .int()
          .min(1)
          .max(100)
          .default(USUAL_NOVA_ATTEMPTS)
          .describe('scheduler.max_attempts: the chosen host and its alternates together are at most this many hosts.'),
        packing: z
          .boolean()
          .default(false)
          .describe('compute.packing_host_numa_cells_allocation_strategy: the fullest NUMA cells of a host are tried first.'),
        shuffleBest: z
          .boolean()
          .default(false)
          .describe('filter_scheduler.shuffle_best_same_weighed_hosts: hosts with the same best weight are shuffled, by the seed.'),
        placement: placementSchema
          .optional()
          .describe("What Nova's Placement service checks before Nova's filters run; absent: Nova's defaults."),
      })
      .optional()
      .describe("Further settings from Nova's configuration. They take effect only with `compat: nova`."),
  })
  .superRefine((profile, context) => {
    const refuse = (field: keyof typeof profile, must: string) =>
      context.addIssue({ code: 'custom', path: [field], input: profile[field], message: `must ${must}` })
    if (profile.solver !== undefined && profile.scheduler !== 'solver') refuse('solver', 'be left out without scheduler: solver')
    if (profile.scheduler === 'solver' && profile.hostSubsetSize !== 1)
      refuse('hostSubsetSize', 'be 1 with the scheduler solver, which always uses the best arrangement')
    if (profile.compat === undefined) {
      if (profile.nova !== undefined) refuse('nova', 'be left out without compat: nova')
      return
    }
    if (profile.scheduler !== 'filter') refuse('scheduler', 'be filter with compat: nova, because Nova has no other scheduler')
    if (profile.normalisation !== 'minmax') refuse('normalisation', 'be minmax with compat: nova')
    if (profile.tieOrder !== 'first-seen')
      refuse('tieOrder', 'be first-seen with compat: nova; to shuffle hosts with equal scores, set nova.shuffleBest')
  })

export type Profile = z.output<typeof profileSchema>
export type PlacementRules = z.output<typeof placementSchema>

/** The default checks of Placement, for profiles that do not set them. */
export const usualPlacement: PlacementRules = placementSchema.parse({})
export type ProfileInput = z.input<typeof profileSchema>

export const isOwnScheduler = (name: string): name is (typeof ownSchedulers)[number] => ownSchedulers.some((own) => own === name)

/** The version of a profile as `name@number`. Records and requests refer to a version in this form. */
export const profileRef = ({ name, number }: Pick<Profile, 'name' | 'number'>): string => `${name}@${number}`

/**
 * The lowest feature level at which a profile can be used. Below this level, a replica of an older release could be unable to decide by it.
 */
export function profileLevel({ compat, collects, filters, nova, weighers, assignment, scheduler }: Profile): number {
  const parts = [...filters, ...weighers]
  const needs: readonly (readonly [level: number, isNeeded: boolean])[] = [
    [PLACEMENT_RULES, nova?.placement !== undefined],
    [OWN_AFFINITY, filters.some(({ options }) => Object.hasOwn(options, 'onlyWhereTold'))],
    [6, assignment.pools !== undefined || collects?.includes('pools') === true || !isOwnScheduler(scheduler)],
    [5, collects !== undefined || scheduler === 'solver'],
    [4, filters.some(({ shadow }) => shadow === true)],
    [3, compat !== undefined || assignment.pci !== undefined || parts.some(({ options }) => Object.hasOwn(options, 'aggregateMultiplier'))],
  ]
  return Math.max(1, ...parts.map(({ name }) => levelOfPart(name)), ...needs.map(([level, isNeeded]) => (isNeeded ? level : 1)))
}
