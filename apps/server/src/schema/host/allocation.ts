import { allocationSources, type FleetAllocation as Shape } from '@gantt/scheduler-core'
import { releaseName } from '@gantt/scheduler-core/nova'
import type { FleetAllocationConflict as Conflict, FleetAllocationDone } from '../../services/fleet/fleet-allocation.ts'
import type { AllocationOrigin as Origin } from '../../services/host/host-view.ts'
import { builder } from '../builder.ts'
import { ImpactPreview } from '../types/common.ts'
import { resultUnion, UserError, ValidationError } from '../types/errors.ts'

const AllocationSource = builder.enumType('AllocationSource', {
  description:
    "The source of an allocation ratio or a reserved amount. The first source that sets a value applies. HOST: an operator set it for this host. AGGREGATE: the lowest value of the host's aggregates. REPORT: the host's report. FLEET: an import or an operator set it for the fleet. NOVA_DEFAULT: Nova's default in the release that the fleet's setting names. FLEET and NOVA_DEFAULT apply only to hosts whose document in Nova's form has no value. NONE: no source sets a value, so the ratio is 1 and nothing is reserved.",
  values: allocationSources,
})

const AggregateName = builder.objectRef<NonNullable<Origin['aggregate']>>('AllocationAggregate').implement({
  description: 'The aggregate that sets an allocation ratio.',
  fields: (t) => ({
    uuid: t.expose('uuid', { type: 'UUID', description: 'UUID of the aggregate.' }),
    name: t.exposeString('name', { description: 'Name of the aggregate.' }),
  }),
})

/** The source of a ratio or a reserved amount. */
export const AllocationOrigin = builder.objectRef<Origin>('AllocationOrigin').implement({
  description: 'The source of an allocation ratio or a reserved amount, who set it, and when.',
  fields: (t) => ({
    source: t.expose('source', { type: AllocationSource, description: 'The kind of the source of the ratio or reserved amount.' }),
    by: t.exposeString('by', {
      nullable: true,
      description: 'The account that set the ratio or reserved amount; null if no account set it, or if the account was not recorded.',
    }),
    at: t.expose('at', {
      type: 'DateTime',
      nullable: true,
      description: "When the ratio or reserved amount was set, by the database's clock. For a report, when the report arrived.",
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'The reason that the account gave.' }),
    aggregate: t.expose('aggregate', {
      type: AggregateName,
      nullable: true,
      description: 'The aggregate that sets the ratio, if the source is AGGREGATE.',
    }),
    release: t.exposeString('release', {
      nullable: true,
      description: 'The release of Nova whose default applies, if the source is NOVA_DEFAULT.',
    }),
  }),
})

interface ClassShape {
  readonly resourceClass: string
  readonly ratio?: number
  readonly reserved?: number
  readonly reservedInUse?: number
}

const ClassAllocation = builder.objectRef<ClassShape>('ClassAllocation').implement({
  description: 'The allocation ratio and the reserved amount of one resource class.',
  fields: (t) => ({
    resourceClass: t.exposeString('resourceClass', { description: 'Name of the resource class.' }),
    ratio: t.float({
      nullable: true,
      description: 'The factor by which the resource class is overcommitted.',
      resolve: ({ ratio }) => ratio ?? null,
    }),
    reserved: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'The amount that is reserved on each host.',
      resolve: ({ reserved }) => reserved ?? null,
    }),
    reservedInUse: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'How much of `reserved` is part of the used amounts that hosts report. Null: all of it.',
      resolve: ({ reservedInUse }) => reservedInUse ?? null,
    }),
  }),
})

const FleetAllocation = builder.objectRef<Shape>('FleetAllocation').implement({
  description:
    "The allocation ratios and reserved amounts of hosts whose document in Nova's form leaves them to the configuration (a ratio of 0.0). This setting applies to the whole fleet and is stored in its log.",
  fields: (t) => ({
    version: t.exposeInt('version', { description: 'How many times the setting was changed. Pass it as `ifVersion`.' }),
    release: t.string({
      nullable: true,
      description:
        'The release of Nova whose defaults apply to resource classes that are not listed. Null if no defaults apply, so that those classes are not overcommitted.',
      resolve: ({ release }) => (release === null ? null : releaseName(release)),
    }),
    classes: t.field({
      type: [ClassAllocation],
      description: 'The allocation ratio and the reserved amount of each resource class.',
      resolve: ({ classes }) => Object.entries(classes).map(([resourceClass, amounts]) => ({ resourceClass, ...amounts })),
    }),
    by: t.string({
      nullable: true,
      description: 'The account that set the ratios and reserved amounts; null if no account did.',
      resolve: ({ by }) => by || null,
    }),
    at: t.field({
      type: 'DateTime',
      nullable: true,
      description: "When the setting was last changed, by the database's clock.",
      resolve: ({ version, at }) => (version === 0 ? null : at),
    }),
    reason: t.string({ nullable: true, description: 'The reason that the account gave.', resolve: ({ reason }) => reason || null }),
  }),
})

const FleetAllocationPayload = builder.objectRef<FleetAllocationDone>('FleetAllocationPayload').implement({
  description: 'The setting has the requested values.',
  fields: (t) => ({
    fleetAllocation: t.expose('allocation', {
      type: FleetAllocation,
      description: 'The setting after the change; for a dry run, the setting as it would be.',
    }),
    impact: t.expose('impact', {
      type: ImpactPreview,
      description:
        "The affected hosts, which are those that report in Nova's form. The warnings contain their free amounts before and after the change.",
    }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if this was a dry run, so that nothing was changed.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: "The change's revision. Pass it as minRevision to later calls." }),
  }),
})

const FleetAllocationConflict = builder.objectRef<Conflict>('FleetAllocationConflict').implement({
  description: 'The setting was changed after the caller read it. Read the present values and repeat the change with them.',
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
  description: 'The allocation ratio and the reserved amount of one resource class.',
  fields: (t) => ({
    resourceClass: t.string({ required: true, description: 'The resource class, such as VCPU, MEMORY_MB or DISK_GB.' }),
    ratio: t.float({ description: 'The allocation ratio, 0.001 to 1000, with a precision of three decimals.' }),
    reserved: t.field({ type: 'SafeInt', description: 'The amount that is reserved on each host, in units of the resource class.' }),
    reservedInUse: t.field({
      type: 'SafeInt',
      description:
        'How much of `reserved` is part of the used amounts that hosts report. Null: all of it. Nova rounds a reserved amount of disk up to whole GiB in Placement, and down in the used disk of a host.',
    }),
  }),
})

const FleetAllocationInput = builder.inputType('FleetAllocationInput', {
  description:
    "The allocation ratios and reserved amounts for hosts whose document in Nova's form has none. They replace all earlier values.",
  fields: (t) => ({
    release: t.string({
      description: 'The release of Nova, such as zed or 2023.1, whose defaults apply to resource classes that are not listed.',
    }),
    classes: t.field({
      type: [ClassAllocationInput],
      required: true,
      description: 'The allocation ratio and the reserved amount of each resource class.',
    }),
    reason: t.string({ required: true, description: 'Why the ratios and reserved amounts are set, recorded for later readers.' }),
  }),
})

builder.queryField('fleetAllocation', (t) =>
  t.field({
    type: FleetAllocation,
    authScopes: { scope: 'READ' },
    description: "The allocation ratios and reserved amounts of hosts whose document in Nova's form has none. Answered from memory.",
    resolve: (_root, _args, { fleetAllocations }) => fleetAllocations.view(),
  }),
)

builder.mutationField('fleetAllocationSet', (t) =>
  t.field({
    type: FleetAllocationResult,
    authScopes: { scope: 'OPERATE' },
    description: "Sets the allocation ratios and reserved amounts of hosts whose document in Nova's form has none.",
    args: {
      ifVersion: t.arg.int({
        required: true,
        description: 'The version that the caller read. The call is refused if the present version differs.',
      }),
      input: t.arg({ type: FleetAllocationInput, required: true, description: 'The complete setting, which replaces the present one.' }),
      dryRun: t.arg.boolean({
        defaultValue: false,
        description: 'True: the call changes nothing. It returns the effect that it would have on free amounts.',
      }),
    },
    resolve: (_root, { ifVersion, input: { release, ...input }, dryRun }, { fleetAllocations, caller }) =>
      fleetAllocations.set(ifVersion, { release: release ?? null, ...input }, caller.account, dryRun ?? false),
  }),
)
