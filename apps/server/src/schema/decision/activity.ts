import type { ActivityView, Durations, FailureCount as FailureShape, FlavorCount, StepView } from '../../services/decision/activity.ts'
import { builder } from '../builder.ts'
import { KeyValue } from '../types/common.ts'

const ActivityDurations = builder.objectRef<Durations>('ActivityDurations').implement({
  description:
    'How long decisions took (`Decision.durationMs`), milliseconds. A percentile is a measured duration, not an interpolated one.',
  fields: (t) => ({
    p50Ms: t.exposeFloat('p50Ms', { description: 'The median duration.' }),
    p99Ms: t.exposeFloat('p99Ms', { description: '99 of 100 took at most so long.' }),
  }),
})

const ActivityStep = builder.objectRef<StepView>('ActivityStep').implement({
  description: 'One step of the time range.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'Store time at which the step begins.' }),
    decisions: t.exposeInt('decisions', { description: 'The number of decisions.' }),
    failed: t.exposeInt('failed', { description: 'The number of decisions in which an instance was not placed.' }),
    took: t.field({
      type: ActivityDurations,
      nullable: true,
      description: 'How long these decisions took; null if none was measured.',
      resolve: (step) => step.took(),
    }),
  }),
})

const FailureCount = builder.objectRef<FailureShape>('FailureCount').implement({
  description: 'Failed decisions by the cause of the refusal (`cause`). Each is counted once; partial placements have no cause.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'A code of the catalogue of reasons.' }),
    decisions: t.exposeInt('decisions', {
      description: 'The number that `outcome:PARTIAL,NO_VALID_HOST cause:CODE` finds in the same time.',
    }),
    text: t.exposeString('text', { description: 'The sentences of the newest of these decisions.' }),
  }),
})

const AskedFlavor = builder.objectRef<FlavorCount>('AskedFlavor').implement({
  description: 'The resources of one instance, as requested.',
  fields: (t) => ({
    name: t.string({ nullable: true, description: 'The name of the flavor in the request.', resolve: ({ flavor }) => flavor.name }),
    vcpus: t.int({ description: 'Virtual CPUs of one instance.', resolve: ({ flavor }) => flavor.vcpus }),
    memoryMb: t.int({ description: 'Memory of one instance, in MiB.', resolve: ({ flavor }) => flavor.memoryMb }),
    rootGb: t.int({ description: 'Root disk, in GiB.', resolve: ({ flavor }) => flavor.rootGb }),
    ephemeralGb: t.int({ description: 'Ephemeral disk, in GiB.', resolve: ({ flavor }) => flavor.ephemeralGb }),
    swapMb: t.int({ description: 'Swap disk, in MiB.', resolve: ({ flavor }) => flavor.swapMb }),
    extraSpecs: t.field({
      type: [KeyValue],
      description: 'Extra specs of the flavor, as asked.',
      resolve: ({ flavor }) => Object.entries(flavor.extraSpecs).map(([key, value]) => ({ key, value })),
    }),
    decisions: t.exposeInt('decisions', { description: 'How many of the newest thousand decisions requested it.' }),
  }),
})

const sumOf = async ({ steps }: ActivityView, count: 'decisions' | 'failed'): Promise<number> =>
  (await steps()).reduce((sum, step) => sum + step[count], 0)

const Activity = builder.objectRef<ActivityView>('Activity')

Activity.implement({
  description: 'The requests of a time range and their results, as all replicas recorded them.',
  fields: (t) => ({
    since: t.expose('since', { type: 'DateTime', description: 'The store time at which the range begins.' }),
    until: t.expose('until', { type: 'DateTime', description: 'The store time before which the range ends.' }),
    decisions: t.int({ description: 'The number of all decisions.', resolve: (activity) => sumOf(activity, 'decisions') }),
    failed: t.int({
      description: 'The number of decisions in which an instance was not placed.',
      resolve: (activity) => sumOf(activity, 'failed'),
    }),
    took: t.field({
      type: ActivityDurations,
      nullable: true,
      description: 'How long all of them took; null if none was measured.',
      resolve: (activity) => activity.took(),
    }),
    tookCut: t.boolean({
      description: 'True: at least 100,000 decisions were measured; all durations, also those of the steps, are of the newest 100,000.',
      resolve: (activity) => activity.isTookCut(),
    }),
    steps: t.field({
      type: [ActivityStep],
      description: 'The whole range in steps, from the oldest to the newest; the last step may be shorter.',
      resolve: async (activity) => [...(await activity.steps())],
    }),
    failures: t.field({
      type: [FailureCount],
      description: 'Most decisions first, 50 at most.',
      resolve: async (activity) => [...(await activity.failures())],
    }),
    failuresCut: t.boolean({
      description: 'True: there were more failed decisions than the newest 20,000, whose causes were counted.',
      resolve: (activity) => activity.isFailuresCut(),
    }),
    flavors: t.field({
      type: [AskedFlavor],
      description: 'The most requested first, ten at most.',
      resolve: async (activity) => [...(await activity.flavors())],
    }),
    before: t.field({
      type: Activity,
      description: 'The same for the range of equal length before this one.',
      resolve: (activity) => activity.before(),
    }),
  }),
})

builder.queryField('activity', (t) =>
  t.field({
    type: Activity,
    authScopes: { scope: 'READ' },
    description: 'The requests of a time range and their results.',
    args: {
      window: t.arg({ type: 'Duration', defaultValue: 3_600_000, description: 'The length of the range, PT1M to P7D.' }),
      since: t.arg({ type: 'DateTime', description: 'The start of the range, instead of `window`; at most 7 days before its end.' }),
      until: t.arg({
        type: 'DateTime',
        description:
          'The end of the range, exclusive; if it is absent or in the future: now, or the arrival of the oldest request that still waits for its answer.',
      }),
      steps: t.arg.int({ defaultValue: 60, description: 'The maximum number of steps, 1 to 500.' }),
    },
    resolve: (_root, { window, steps, ...times }, { activities }) =>
      activities.read({ ...times, windowMs: window ?? 3_600_000, steps: steps ?? 60 }),
  }),
)
