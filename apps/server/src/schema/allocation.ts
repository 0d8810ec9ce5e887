import { allocationSources, type FleetAllocation as Shape } from '@gantt/scheduler-core'
import { releaseName } from '@gantt/scheduler-core/nova'
import type { FleetAllocationConflict as Conflict, FleetAllocationDone } from '../services/fleet-allocation.ts'
import type { AllocationOrigin as Origin } from '../services/host-view.ts'
import { builder } from './builder.ts'
import { ImpactPreview } from './common.ts'
import { resultUnion, UserError, ValidationError } from './errors.ts'

const AllocationSource = builder.enumType('AllocationSource', {
  description:
    "Who says a ratio or a reserved amount, first wins: HOST, an operator of this host; AGGREGATE, the least of its aggregates; REPORT, the host's report; then, where its document in Nova's form says nothing: FLEET, what an import or an operator set for the fleet; NOVA_DEFAULT, Nova's default of the release that is named; NONE, nobody: 1, and nothing reserved.",
  values: allocationSources,
})

const AggregateName = builder.objectRef<NonNullable<Origin['aggregate']>>('AllocationAggregate').implement({
  description: 'The aggregate that gives a ratio.',
  fields: (t) => ({
    uuid: t.expose('uuid', { type: 'UUID', description: 'Its identity.' }),
    name: t.exposeString('name', { description: 'Its name.' }),
  }),
})

/** Who says a ratio or a reserved amount. */
export const AllocationOrigin = builder.objectRef<Origin>('AllocationOrigin').implement({
  description: 'Who says a ratio or a reserved amount, who set it, and when.',
  fields: (t) => ({
    source: t.expose('source', { type: AllocationSource, description: 'Which of those that may say it.' }),
    by: t.exposeString('by', { nullable: true, description: 'The account that set it; null where nobody did, or it was not kept.' }),
    at: t.expose('at', { type: 'DateTime', nullable: true, description: 'Store time at which it was set; of a report, when it came.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why, in the words of who set it.' }),
    aggregate: t.expose('aggregate', { type: AggregateName, nullable: true, description: 'Of the source AGGREGATE, which one.' }),
    release: t.exposeString('release', { nullable: true, description: "Of the source NOVA_DEFAULT, which release of Nova's." }),
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
    resourceClass: t.exposeString('resourceClass', { description: 'The class.' }),
    ratio: t.float({ nullable: true, description: 'How many times over it is given away.', resolve: ({ ratio }) => ratio ?? null }),
    reserved: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'Kept back on each host.',
      resolve: ({ reserved }) => reserved ?? null,
    }),
  }),
})

const FleetAllocation = builder.objectRef<Shape>('FleetAllocation').implement({
  description:
    "Ratios and reserved amounts of hosts whose document in Nova's form leaves them to the configuration (a ratio of 0.0). A setting of the fleet, kept in its log.",
  fields: (t) => ({
    version: t.exposeInt('version', { description: 'How often it was set; name it as ifVersion.' }),
    release: t.string({
      nullable: true,
      description:
        "The release of Nova's whose defaults hold where a class is not listed; null: none, so that nothing is given away twice.",
      resolve: ({ release }) => (release === null ? null : releaseName(release)),
    }),
    classes: t.field({
      type: [ClassAllocation],
      description: 'Class by class.',
      resolve: ({ classes }) => Object.entries(classes).map(([resourceClass, amounts]) => ({ resourceClass, ...amounts })),
    }),
    by: t.string({ nullable: true, description: 'The account that set it; null: nobody did.', resolve: ({ by }) => by || null }),
    at: t.field({ type: 'DateTime', nullable: true, description: 'When.', resolve: ({ version, at }) => (version === 0 ? null : at) }),
    reason: t.string({ nullable: true, description: 'Why, in the words of who set it.', resolve: ({ reason }) => reason || null }),
  }),
})

const FleetAllocationPayload = builder.objectRef<FleetAllocationDone>('FleetAllocationPayload').implement({
  description: 'It is as asked.',
  fields: (t) => ({
    fleetAllocation: t.expose('allocation', { type: FleetAllocation, description: 'As it is now, or would be.' }),
    impact: t.expose('impact', {
      type: ImpactPreview,
      description: "Hosts that report in Nova's form, and in the warnings what is free on them before and after.",
    }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True when nothing was changed.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'Give it as minRevision to read what was written.' }),
  }),
})

const FleetAllocationConflict = builder.objectRef<Conflict>('FleetAllocationConflict').implement({
  description: 'It was set since it was read. Look at the present values and set those.',
  interfaces: [UserError],
  fields: (t) => ({ current: t.expose('current', { type: FleetAllocation, description: 'As it is now.' }) }),
})

const FleetAllocationResult = resultUnion(
  'FleetAllocationResult',
  'Ends of fleetAllocationSet.',
  [FleetAllocationPayload, FleetAllocationConflict, ValidationError],
  { done: 'FleetAllocationPayload', 'fleet-allocation-conflict': 'FleetAllocationConflict' },
)

const ClassAllocationInput = builder.inputType('ClassAllocationInput', {
  description: 'A ratio and a reserved amount of one resource class.',
  fields: (t) => ({
    resourceClass: t.string({ required: true, description: 'Such as VCPU, MEMORY_MB or DISK_GB.' }),
    ratio: t.float({ description: '0.001 to 1000; three decimals count.' }),
    reserved: t.field({ type: 'SafeInt', description: 'Kept back on each host, in units of the class.' }),
  }),
})

const FleetAllocationInput = builder.inputType('FleetAllocationInput', {
  description: "What holds where a document in Nova's form says nothing; it replaces all that was set before.",
  fields: (t) => ({
    release: t.string({ description: "The release of Nova's whose defaults hold for the rest, such as zed or 2023.1." }),
    classes: t.field({ type: [ClassAllocationInput], required: true, description: 'Class by class.' }),
    reason: t.string({ required: true, description: 'Why, for those who ask later.' }),
  }),
})

builder.queryField('fleetAllocation', (t) =>
  t.field({
    type: FleetAllocation,
    authScopes: { scope: 'READ' },
    description: "Ratios and reserved amounts that hold where a host's document in Nova's form says nothing. Answered from memory.",
    resolve: (_root, _args, { fleetAllocations }) => fleetAllocations.view(),
  }),
)

builder.mutationField('fleetAllocationSet', (t) =>
  t.field({
    type: FleetAllocationResult,
    authScopes: { scope: 'OPERATE' },
    description: "Sets the ratios and reserved amounts that hold where a host's document in Nova's form says nothing.",
    args: {
      ifVersion: t.arg.int({ required: true, description: 'The version that was read.' }),
      input: t.arg({ type: FleetAllocationInput, required: true, description: 'All of it.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: only tell what it would be, and what would be free.' }),
    },
    resolve: (_root, { ifVersion, input: { release, ...input }, dryRun }, { fleetAllocations, caller }) =>
      fleetAllocations.set(ifVersion, { release: release ?? null, ...input }, caller.account, dryRun ?? false),
  }),
)
