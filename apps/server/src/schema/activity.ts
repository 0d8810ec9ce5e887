import type { ActivityView, Durations, FailureCount as FailureShape, FlavorCount, StepView } from '../services/activity.ts'
import { builder } from './builder.ts'
import { KeyValue } from './common.ts'

const ActivityDurations = builder.objectRef<Durations>('ActivityDurations').implement({
  description:
    'How long deciding took (`Decision.durationMs`), milliseconds. A percentile is a duration that was measured, none between two.',
  fields: (t) => ({
    p50Ms: t.exposeFloat('p50Ms', { description: 'Half of the decisions took at most so long.' }),
    p99Ms: t.exposeFloat('p99Ms', { description: '99 of 100 took at most so long.' }),
  }),
})

const ActivityStep = builder.objectRef<StepView>('ActivityStep').implement({
  description: 'A short time.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When it begins.' }),
    decisions: t.exposeInt('decisions', { description: 'How many decisions there were in it.' }),
    failed: t.exposeInt('failed', { description: 'In how many of them an instance found no host.' }),
    took: t.field({
      type: ActivityDurations,
      nullable: true,
      description: 'How long these took; null: none was measured.',
      resolve: (step) => step.took(),
    }),
  }),
})

const FailureCount = builder.objectRef<FailureShape>('FailureCount').implement({
  description:
    'Failed decisions by why no host was found (`cause`). Each is counted once; those that placed some of their instances keep no cause.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'From the catalogue of reasons.' }),
    decisions: t.exposeInt('decisions', {
      description: 'How many: as many as `outcome:PARTIAL,NO_VALID_HOST cause:CODE` finds of the same time.',
    }),
    text: t.exposeString('text', { description: 'The sentences of the newest of them.' }),
  }),
})

const AskedFlavor = builder.objectRef<FlavorCount>('AskedFlavor').implement({
  description: 'What one instance takes, as it was asked for.',
  fields: (t) => ({
    name: t.string({ nullable: true, description: 'As the caller named it.', resolve: ({ flavor }) => flavor.name }),
    vcpus: t.int({ description: 'Virtual CPUs.', resolve: ({ flavor }) => flavor.vcpus }),
    memoryMb: t.int({ description: 'MiB.', resolve: ({ flavor }) => flavor.memoryMb }),
    rootGb: t.int({ description: 'GiB.', resolve: ({ flavor }) => flavor.rootGb }),
    ephemeralGb: t.int({ description: 'GiB.', resolve: ({ flavor }) => flavor.ephemeralGb }),
    swapMb: t.int({ description: 'MiB.', resolve: ({ flavor }) => flavor.swapMb }),
    extraSpecs: t.field({
      type: [KeyValue],
      description: 'As asked.',
      resolve: ({ flavor }) => Object.entries(flavor.extraSpecs).map(([key, value]) => ({ key, value })),
    }),
    decisions: t.exposeInt('decisions', { description: 'How many of the newest thousand decisions asked for it.' }),
  }),
})

const sumOf = async ({ steps }: ActivityView, count: 'decisions' | 'failed'): Promise<number> =>
  (await steps()).reduce((sum, step) => sum + step[count], 0)

const Activity = builder.objectRef<ActivityView>('Activity')

Activity.implement({
  description: 'What was asked for lately, and what came of it, as all replicas recorded it.',
  fields: (t) => ({
    since: t.expose('since', { type: 'DateTime', description: 'Store time at which it begins.' }),
    until: t.expose('until', { type: 'DateTime', description: 'Store time before which it ends.' }),
    decisions: t.int({ description: 'Decisions in all.', resolve: (activity) => sumOf(activity, 'decisions') }),
    failed: t.int({ description: 'Those in which an instance found no host.', resolve: (activity) => sumOf(activity, 'failed') }),
    took: t.field({
      type: ActivityDurations,
      nullable: true,
      description: 'How long all of them took; null: none was measured.',
      resolve: (activity) => activity.took(),
    }),
    tookCut: t.boolean({
      description: 'True: 100,000 decisions or more were measured; the durations, those of the steps too, are of the newest 100,000.',
      resolve: (activity) => activity.isTookCut(),
    }),
    steps: t.field({
      type: [ActivityStep],
      description: 'All of it, from the oldest to the newest; the last may be shorter.',
      resolve: async (activity) => [...(await activity.steps())],
    }),
    failures: t.field({
      type: [FailureCount],
      description: 'Most decisions first, 50 at most.',
      resolve: async (activity) => [...(await activity.failures())],
    }),
    failuresCut: t.boolean({
      description: 'True: there were more failed decisions than the 20,000 newest, whose causes were counted.',
      resolve: (activity) => activity.isFailuresCut(),
    }),
    flavors: t.field({
      type: [AskedFlavor],
      description: 'Most asked first, ten at most.',
      resolve: async (activity) => [...(await activity.flavors())],
    }),
    before: t.field({
      type: Activity,
      description: 'The same of the span of equal length that ends where this one begins.',
      resolve: (activity) => activity.before(),
    }),
  }),
})

builder.queryField('activity', (t) =>
  t.field({
    type: Activity,
    authScopes: { scope: 'READ' },
    description: 'What was asked for lately, and what came of it.',
    args: {
      window: t.arg({ type: 'Duration', defaultValue: 3_600_000, description: 'How far back from its end, PT1M to P7D.' }),
      since: t.arg({ type: 'DateTime', description: 'When it begins, in the place of `window`; 7 days before its end at most.' }),
      until: t.arg({
        type: 'DateTime',
        description: 'Before when it ends; if not given, or not over yet: now, or when the oldest request came that waits for its answer.',
      }),
      steps: t.arg.int({ defaultValue: 60, description: 'Into how many steps it is divided at most, 1 to 500.' }),
    },
    resolve: (_root, { window, steps, ...times }, { activities }) =>
      activities.read({ ...times, windowMs: window ?? 3_600_000, steps: steps ?? 60 }),
  }),
)
