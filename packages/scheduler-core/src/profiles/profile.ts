import { z } from 'zod'
import { OWN_AFFINITY, PLACEMENT_RULES } from '../fleet/levels.ts'
import { type KindName, kindNames } from '../kinds/grants.ts'
import { solverOptionsSchema } from '../schedulers/solver/options.ts'
import { levelOfPart } from './part-levels.ts'

const options = z.record(z.string(), z.json()).default({})
/** How the release itself takes hosts; a profile may name a scheduler of a plug-in as well. */
export const ownSchedulers = ['filter', 'chance', 'solver'] as const

const name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be 1 to 63 lower-case letters, digits and dashes')

/** By the options of Nova that switch it, where they differ from release to release. */
const placementSchema = z.strictObject({
  /** scheduler.query_placement_for_availability_zone; without it zones are AvailabilityZoneFilter's alone. */
  availabilityZone: z.boolean().default(true),
  /** default_availability_zone: where hosts are that no aggregate puts into a zone. */
  defaultAvailabilityZone: z.string().min(1).max(255).default('nova'),
  /** scheduler.limit_tenants_to_placement_aggregate: projects that aggregates name under `filter_tenant_id...` get hosts of those alone. */
  limitTenants: z.boolean().default(false),
  /** scheduler.placement_aggregate_required_for_tenants: the others get none. */
  tenantsNeedAggregate: z.boolean().default(false),
  /** scheduler.enable_isolated_aggregate_filtering: aggregates with `trait:NAME` = `required` are kept for requests that require the trait. */
  isolateAggregates: z.boolean().default(false),
  /** scheduler.query_placement_for_image_type_support: hosts have the trait COMPUTE_IMAGE_TYPE_... of the image's disk format. */
  imageType: z.boolean().default(false),
})

const assignment = z.strictObject({ rule: z.string().max(64), options: options.optional() }).optional()
const assignments = Object.fromEntries(kindNames.map((kind) => [kind, assignment])) as Record<KindName, typeof assignment>

/**
 * How a service decides, as data: filters in their order, weighers with multipliers, how raw numbers are scaled, what
 * breaks ties, and what is chosen inside a host. Versions are never edited: a change is the next version.
 */
export const profileSchema = z
  .strictObject({
    name,
    /** 0: part of the release; 1 and up: written to the log. */
    number: z
      .number()
      .int()
      .min(0)
      .max(2 ** 31),
    note: z.string().max(4_096).default(''),
    /** Run in this order. The fit filters of all resource kinds run at the end, listed or not. */
    filters: z
      .array(
        z.strictObject({
          name: z.string().max(128),
          options,
          /** It refuses nobody: explanations tell whom it would refuse. Not for what every claim has to keep. */
          shadow: z.boolean().optional(),
        }),
      )
      .max(64),
    weighers: z.array(z.strictObject({ name: z.string().max(128), multiplier: z.number().min(-1e9).max(1e9), options })).max(64),
    /**
     * minmax: (x - min) / (max - min) over the hosts that passed, 0 if all are equal (Nova's); fixed: raw numbers as they
     * are; rank: share of hosts with a lower raw number.
     */
    normalisation: z.enum(['minmax', 'fixed', 'rank']).default('minmax'),
    /** Order of hosts with equal scores: by first sight, or shuffled by the decision's seed. */
    tieOrder: z.enum(['first-seen', 'seeded']).default('first-seen'),
    /** Choice inside a host, by resource kind. */
    assignment: z.strictObject(assignments).default({}),
    /**
     * Kinds of resource that its requests may ask, which reporters are told to report; absent: all. A request may ask another kind all the
     * same, and is refused by hosts that leave it out.
     */
    collects: z.array(z.enum(kindNames)).max(kindNames.length).optional(),
    /**
     * filter: the best host that passes; chance: any host that passes; solver: the best arrangement of all instances together; any other:
     * that of a plug-in.
     */
    scheduler: name.default('filter'),
    /** With the scheduler `solver`: its limits. */
    solver: solverOptionsSchema.optional(),
    /** Nova's host_subset_size: one of this many best hosts is taken, by the decision's seed. */
    hostSubsetSize: z.number().int().min(1).max(1_000).default(1),
    /**
     * nova: filters and weighers are Nova's own, with its option names, and instances are placed in its rounds, its surprises included
     * (docs/nova-differences.md); a claim needs its room all the same.
     */
    compat: z.literal('nova').optional(),
    /** What else of Nova's configuration counts with `compat: nova`. */
    nova: z
      .strictObject({
        /** scheduler.max_attempts: a chosen host and its alternates are at most so many. */
        maxAttempts: z.number().int().min(1).max(100).default(3),
        /** compute.packing_host_numa_cells_allocation_strategy: the fullest cells of a host are tried first. */
        packing: z.boolean().default(false),
        /** filter_scheduler.shuffle_best_same_weighed_hosts: hosts as good as the best are shuffled, by the seed. */
        shuffleBest: z.boolean().default(false),
        /** What Nova has Placement look for before its filters are asked; absent: as Nova does by default. */
        placement: placementSchema.optional(),
      })
      .optional(),
  })
  .superRefine((profile, context) => {
    const refuse = (field: keyof typeof profile, must: string) =>
      context.addIssue({ code: 'custom', path: [field], input: profile[field], message: `must ${must}` })
    if (profile.solver !== undefined && profile.scheduler !== 'solver') refuse('solver', 'be left out without scheduler: solver')
    if (profile.scheduler === 'solver' && profile.hostSubsetSize !== 1)
      refuse('hostSubsetSize', 'be 1 with scheduler: solver, which takes the best arrangement')
    if (profile.compat === undefined) {
      if (profile.nova !== undefined) refuse('nova', 'be left out without compat: nova')
      return
    }
    if (profile.scheduler !== 'filter') refuse('scheduler', 'be filter with compat: nova, which has its own rounds')
    if (profile.normalisation !== 'minmax') refuse('normalisation', 'be minmax with compat: nova')
    if (profile.tieOrder !== 'first-seen') refuse('tieOrder', 'be first-seen with compat: nova; nova.shuffleBest is its own way')
  })

export type Profile = z.output<typeof profileSchema>
export type PlacementRules = z.output<typeof placementSchema>

/** What Nova has Placement look for where a profile does not say. */
export const usualPlacement: PlacementRules = placementSchema.parse({})
export type ProfileInput = z.input<typeof profileSchema>

export const isOwnScheduler = (name: string): name is (typeof ownSchedulers)[number] => ownSchedulers.some((own) => own === name)

/** `name@number`, as records and requests name a version. */
export const profileRef = ({ name, number }: Pick<Profile, 'name' | 'number'>): string => `${name}@${number}`

/** The feature level of the log that a profile needs: replicas of an older release could not decide by it. */
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
