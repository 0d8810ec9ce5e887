import type { ActivityView, FailureCount as FailureShape, FlavorCount, StepCount } from '../services/activity.ts'
import { builder } from './builder.ts'
import { KeyValue } from './common.ts'

const ActivityStep = builder.objectRef<StepCount>('ActivityStep').implement({
  description: 'A short time.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When it begins.' }),
    decisions: t.exposeInt('decisions', { description: 'How many decisions there were in it.' }),
    failed: t.exposeInt('failed', { description: 'In how many of them an instance found no host.' }),
  }),
})

const FailureCount = builder.objectRef<FailureShape>('FailureCount').implement({
  description:
    'Failed decisions by what took the last hosts left: the code for which the filter that left none refused most. Each is counted once; those that placed some of their instances keep no reasons.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'From the catalogue of reasons.' }),
    decisions: t.exposeInt('decisions', {
      description: 'How many: as many as `outcome:PARTIAL,NO_VALID_HOST reason.last:CODE` finds of the same time.',
    }),
    filter: t.exposeString('filter', { description: 'Who refused, in the newest of them.' }),
    text: t.exposeString('text', { description: 'Why, in the newest of them.' }),
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

const sumOf = (steps: readonly StepCount[], count: 'decisions' | 'failed'): number => steps.reduce((sum, step) => sum + step[count], 0)

const Activity = builder.objectRef<ActivityView>('Activity').implement({
  description: 'What was asked for lately, and what came of it, as all replicas recorded it.',
  fields: (t) => ({
    since: t.expose('since', { type: 'DateTime', description: 'Store time at which it begins.' }),
    until: t.expose('until', { type: 'DateTime', description: 'Store time before which it ends.' }),
    decisions: t.int({ description: 'Decisions in all.', resolve: ({ steps }) => sumOf(steps, 'decisions') }),
    failed: t.int({ description: 'Those in which an instance found no host.', resolve: ({ steps }) => sumOf(steps, 'failed') }),
    steps: t.field({ type: [ActivityStep], description: 'From the oldest to the newest.', resolve: ({ steps }) => [...steps] }),
    failures: t.field({ type: [FailureCount], description: 'Most decisions first, 50 at most.', resolve: ({ failures }) => [...failures] }),
    failuresCut: t.exposeBoolean('failuresCut', {
      description: 'True: there were more failed decisions than the 20,000 newest, whose reasons were counted.',
    }),
    flavors: t.field({ type: [AskedFlavor], description: 'Most asked first, ten at most.', resolve: ({ flavors }) => [...flavors] }),
  }),
})

builder.queryField('activity', (t) =>
  t.field({
    type: Activity,
    authScopes: { scope: 'READ' },
    description: 'What was asked for lately, and what came of it.',
    args: {
      window: t.arg({ type: 'Duration', defaultValue: 3_600_000, description: 'How far back, PT1M to P7D.' }),
      steps: t.arg.int({ defaultValue: 60, description: 'Into how many steps it is divided, 1 to 500.' }),
    },
    resolve: (_root, { window, steps }, { activities }) => activities.read(window ?? 3_600_000, steps ?? 60),
  }),
)
