import { allocationSources, type FleetAllocation as Shape } from '@gantt/scheduler-core'
import { releaseName } from '@gantt/scheduler-core/nova'
import type { FleetAllocationConflict as Conflict, FleetAllocationDone } from '../../services/fleet/fleet-allocation.ts'
import type { AllocationOrigin as Origin } from '../../services/host/host-view.ts'
import { builder } from '../builder.ts'
import { ImpactPreview } from '../types/common.ts'
import { resultUnion, UserError, ValidationError } from '../types/errors.ts'

const AllocationSource = builder.enumType('AllocationSource', {
  description:
    "The source of a ratio or a reserved amount; the first one that sets a value applies: HOST, an operator for this host; AGGREGATE, the lowest of its aggregates; REPORT, the host's report; then, if its document in Nova's form has none: FLEET, an import or an operator for the fleet; NOVA_DEFAULT, Nova's default of the given release; NONE: a ratio of 1, and nothing reserved.",
  values: allocationSources,
})

const AggregateName = builder.objectRef<NonNullable<Origin['aggregate']>>('AllocationAggregate').implement({
  description: 'The aggregate that sets a ratio.',
  fields: (t) => ({
    uuid: t.expose('uuid', { type: 'UUID', description: 'UUID of the aggregate.' }),
    name: t.exposeString('name', { description: 'Name of the aggregate.' }),
  }),
})

/** The source of a ratio or a reserved amount. */
export const AllocationOrigin = builder.objectRef<Origin>('AllocationOrigin').implement({
  description: 'The source of a ratio or a reserved amount, its author, and the time.',
  fields: (t) => ({
    source: t.expose('source', { type: AllocationSource, description: 'The kind of source.' }),
    by: t.exposeString('by', { nullable: true, description: 'The account that set it; null if nobody did, or it was not recorded.' }),
    at: t.expose('at', {
      type: 'DateTime',
      nullable: true,
      description: 'The store time at which it was set; for a report, the time of its arrival.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: "The reason, in the author's words." }),
    aggregate: t.expose('aggregate', { type: AggregateName, nullable: true, description: 'The aggregate, for the source AGGREGATE.' }),
    release: t.exposeString('release', { nullable: true, description: 'The release of Nova, for the source NOVA_DEFAULT.' }),
  }),
})

interface ClassShape {
  readonly resourceClass: string
  readonly ratio?: number
  readonly reserved?: number
}

const ClassAllocation = builder.objectRef<ClassShape>('ClassAllocation').implement({
  description: 'A ratio and a reserved amount of one resource class.',
  fields: (t) => ({
    resourceClass: t.exposeString('resourceClass', { description: 'Name of the resource class.' }),
    ratio: t.float({
      nullable: true,
      description: 'The factor by which the class is overcommitted.',
      resolve: ({ ratio }) => ratio ?? null,
    }),
    reserved: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'The reserved amount on each host.',
      resolve: ({ reserved }) => reserved ?? null,
    }),
  }),
})

const FleetAllocation = builder.objectRef<Shape>('FleetAllocation').implement({
  description:
    "Ratios and reserved amounts of hosts whose document in Nova's form leaves them to the configuration (a ratio of 0.0). A setting of the fleet, kept in its log.",
  fields: (t) => ({
    version: t.exposeInt('version', { description: 'How many times it was set; pass it as ifVersion.' }),
    release: t.string({
      nullable: true,
      description: 'The release of Nova whose defaults apply to classes that are not listed; null: none, so that nothing is overcommitted.',
      resolve: ({ release }) => (release === null ? null : releaseName(release)),
    }),
    classes: t.field({
      type: [ClassAllocation],
      description: 'The values, class by class.',
      resolve: ({ classes }) => Object.entries(classes).map(([resourceClass, amounts]) => ({ resourceClass, ...amounts })),
    }),
    by: t.string({ nullable: true, description: 'The account that set it; null if nobody did.', resolve: ({ by }) => by || null }),
    at: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Store time of the last change.',
      resolve: ({ version, at }) => (version === 0 ? null : at),
    }),
    reason: t.string({ nullable: true, description: "The reason, in the author's words.", resolve: ({ reason }) => reason || null }),
  }),
})

const FleetAllocationPayload = builder.objectRef<FleetAllocationDone>('FleetAllocationPayload').implement({
  description: 'The setting has the requested values.',
  fields: (t) => ({
    fleetAllocation: t.expose('allocation', { type: FleetAllocation, description: 'The present setting, or the result of the dry run.' }),
    impact: t.expose('impact', {
      type: ImpactPreview,
      description: "The affected hosts, which report in Nova's form; the warnings contain their free amounts before and after.",
    }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if this was a dry run, so that nothing was changed.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'Pass it as minRevision to read what was written.' }),
  }),
})

const FleetAllocationConflict = builder.objectRef<Conflict>('FleetAllocationConflict').implement({
  description: 'The setting was changed after it was read. Read the present values and set those.',
  interfaces: [UserError],
  fields: (t) => ({ current: t.expose('current', { type: FleetAllocation, description: 'The present setting.' }) }),
})

const FleetAllocationResult = resultUnion(
  'FleetAllocationResult',
  'Outcomes of fleetAllocationSet.',
  [FleetAllocationPayload, FleetAllocationConflict, ValidationError],
  { done: 'FleetAllocationPayload', 'fleet-allocation-conflict': 'FleetAllocationConflict' },
)

const ClassAllocationInput = builder.inputType('ClassAllocationInput', {
  description: 'A ratio and a reserved amount of one resource class.',
  fields: (t) => ({
    resourceClass: t.string({ required: true, description: 'The class, such as VCPU, MEMORY_MB or DISK_GB.' }),
    ratio: t.float({ description: '0.001 to 1000; three decimals count.' }),
    reserved: t.field({ type: 'SafeInt', description: 'The reserved amount on each host, in units of the class.' }),
  }),
})

const FleetAllocationInput = builder.inputType('FleetAllocationInput', {
  description: "The values for hosts whose document in Nova's form has none; they replace all earlier ones.",
  fields: (t) => ({
    release: t.string({ description: 'The release of Nova whose defaults apply to the rest, such as zed or 2023.1.' }),
    classes: t.field({ type: [ClassAllocationInput], required: true, description: 'The values, class by class.' }),
    reason: t.string({ required: true, description: 'The reason, for later readers.' }),
  }),
})

builder.queryField('fleetAllocation', (t) =>
  t.field({
    type: FleetAllocation,
    authScopes: { scope: 'READ' },
    description: "The ratios and reserved amounts of hosts whose document in Nova's form has none. Answered from memory.",
    resolve: (_root, _args, { fleetAllocations }) => fleetAllocations.view(),
  }),
)

builder.mutationField('fleetAllocationSet', (t) =>
  t.field({
    type: FleetAllocationResult,
    authScopes: { scope: 'OPERATE' },
    description: "Sets the ratios and reserved amounts of hosts whose document in Nova's form has none.",
    args: {
      ifVersion: t.arg.int({ required: true, description: 'The version that was read.' }),
      input: t.arg({ type: FleetAllocationInput, required: true, description: 'The whole setting, which replaces the one before.' }),
      dryRun: t.arg.boolean({
        defaultValue: false,
        description: 'True: returns the effect and the free amounts, and changes nothing.',
      }),
    },
    resolve: (_root, { ifVersion, input: { release, ...input }, dryRun }, { fleetAllocations, caller }) =>
      fleetAllocations.set(ifVersion, { release: release ?? null, ...input }, caller.account, dryRun ?? false),
  }),
)
