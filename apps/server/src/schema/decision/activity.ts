import type { ActivityView, Durations, FailureCount as FailureShape, FlavorCount, StepView } from '../../services/decision/activity.ts'
import { builder } from '../builder.ts'
import { KeyValue } from '../types/common.ts'

const ActivityDurations = builder.objectRef<Durations>('ActivityDurations').implement({
  description:
    'How long decisions took (`Decision.durationMs`), in milliseconds. A percentile is a measured duration, not an interpolated one.',
  fields: (t) => ({
    p50Ms: t.exposeFloat('p50Ms', { description: 'The median duration.' }),
    p99Ms: t.exposeFloat('p99Ms', { description: 'The 99th percentile: 99 of 100 decisions took at most this long.' }),
  }),
})

const ActivityStep = builder.objectRef<StepView>('ActivityStep').implement({
  description: 'One step of a time range, with its decisions.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: "When the step begins, by the database's clock." }),
    decisions: t.exposeInt('decisions', { description: 'How many decisions were made in the step.' }),
    failed: t.exposeInt('failed', { description: 'How many decisions of the step did not place every instance.' }),
    took: t.field({
      type: ActivityDurations,
      nullable: true,
      description: 'How long the decisions of the step took; null if no duration was measured.',
      resolve: (step) => step.took(),
    }),
  }),
})

const FailureCount = builder.objectRef<FailureShape>('FailureCount').implement({
  description: 'Failed decisions with the same cause. Each decision is counted once. Partial placements have no cause and are not counted.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The code of the cause, from the catalogue of reasons.' }),
    decisions: t.exposeInt('decisions', {
      description: 'How many decisions in the time range have the cause. The query `outcome:PARTIAL,NO_VALID_HOST cause:CODE` finds them.',
    }),
    text: t.exposeString('text', { description: 'The cause of the newest of these decisions, in sentences.' }),
  }),
})

const AskedFlavor = builder.objectRef<FlavorCount>('AskedFlavor').implement({
  description: 'The resources of one instance, as requested.',
  fields: (t) => ({
    name: t.string({ nullable: true, description: 'The name of the flavor in the request.', resolve: ({ flavor }) => flavor.name }),
    vcpus: t.int({ description: 'Virtual CPUs of one instance.', resolve: ({ flavor }) => flavor.vcpus }),
    memoryMb: t.int({ description: 'Memory of one instance, in MiB.', resolve: ({ flavor }) => flavor.memoryMb }),
    rootGb: t.int({ description: 'Root disk of one instance, in GiB.', resolve: ({ flavor }) => flavor.rootGb }),
    ephemeralGb: t.int({ description: 'Ephemeral disk of one instance, in GiB.', resolve: ({ flavor }) => flavor.ephemeralGb }),
    swapMb: t.int({ description: 'Swap disk of one instance, in MiB.', resolve: ({ flavor }) => flavor.swapMb }),
    extraSpecs: t.field({
      type: [KeyValue],
      description: 'The extra specs of the flavor, as requested.',
      resolve: ({ flavor }) => Object.entries(flavor.extraSpecs).map(([key, value]) => ({ key, value })),
    }),
    decisions: t.exposeInt('decisions', { description: 'How many of the newest thousand decisions requested the flavor.' }),
  }),
})

const sumOf = async ({ steps }: ActivityView, count: 'decisions' | 'failed'): Promise<number> =>
  (await steps()).reduce((sum, step) => sum + step[count], 0)

const Activity = builder.objectRef<ActivityView>('Activity')

Activity.implement({
  description: 'The requests of a time range and their results, as recorded by all replicas.',
  fields: (t) => ({
    since: t.expose('since', { type: 'DateTime', description: "When the time range begins, by the database's clock." }),
    until: t.expose('until', { type: 'DateTime', description: "When the time range ends (exclusive), by the database's clock." }),
    decisions: t.int({
      description: 'How many decisions were made in the time range.',
      resolve: (activity) => sumOf(activity, 'decisions'),
    }),
    failed: t.int({
      description: 'How many decisions did not place every instance.',
      resolve: (activity) => sumOf(activity, 'failed'),
    }),
    took: t.field({
      type: ActivityDurations,
      nullable: true,
      description: 'How long the decisions took; null if no duration was measured.',
      resolve: (activity) => activity.took(),
    }),
    tookCut: t.boolean({
      description:
        'True if at least 100,000 durations were measured. All durations, including those of the steps, then describe the newest 100,000 decisions.',
      resolve: (activity) => activity.isTookCut(),
    }),
    steps: t.field({
      type: [ActivityStep],
      description: 'The time range in steps of equal length, oldest first. The last step may be shorter.',
      resolve: async (activity) => [...(await activity.steps())],
    }),
    failures: t.field({
      type: [FailureCount],
      description: 'The causes of failed decisions, most frequent first, at most 50.',
      resolve: async (activity) => [...(await activity.failures())],
    }),
    failuresCut: t.boolean({
      description: 'True if more than 20,000 decisions failed. Only the causes of the newest 20,000 are then counted.',
      resolve: (activity) => activity.isFailuresCut(),
    }),
    flavors: t.field({
      type: [AskedFlavor],
      description: 'The most requested flavors, most requested first, at most ten.',
      resolve: async (activity) => [...(await activity.flavors())],
    }),
    before: t.field({
      type: Activity,
      description: 'The activity in the preceding time range of equal length.',
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
      window: t.arg({ type: 'Duration', defaultValue: 3_600_000, description: 'The length of the time range, PT1M to P7D.' }),
      since: t.arg({
        type: 'DateTime',
        description: 'When the time range begins, at most 7 days before its end. If given, `window` has no effect.',
      }),
      until: t.arg({
        type: 'DateTime',
        description:
          'When the time range ends (exclusive). If absent or in the future, the range ends now or, if requests wait for their answers, at the arrival of the oldest waiting request.',
      }),
      steps: t.arg.int({ defaultValue: 60, description: 'At most this many steps, 1 to 500.' }),
    },
    resolve: (_root, { window, steps, ...times }, { activities }) =>
      activities.read({ ...times, windowMs: window ?? 3_600_000, steps: steps ?? 60 }),
  }),
)
