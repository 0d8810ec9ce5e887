import { mapInPieces } from '../replica/in-pieces.ts'
import type { Issue } from '../services/outcome.ts'
import type { ReportInput } from '../services/report-input.ts'
import type { ReportApplied, ReportNeedsFull, ReportOutcome, ReportStale } from '../services/stats.ts'
import { builder } from './builder.ts'
import { ResourceNameInput, toRecord, withoutNulls } from './common.ts'
import { resultUnion, UserError, ValidationError } from './errors.ts'
import { HostWarning } from './host-warning.ts'
import { Claim, Host } from './refs.ts'
import { RequiredStats } from './required-stats.ts'
import { FullStatsInput, StatsDeltaInput } from './stats-input.ts'

const ReporterInput = builder.inputType('ReporterInput', {
  description: 'Who reports, and in which order: old reports are recognised and dropped, so no key is needed.',
  fields: (t) => ({
    incarnation: t.field({
      type: 'UUID',
      required: true,
      description: 'Drawn anew when the reporter starts; a new one begins with a full report.',
    }),
    sequence: t.field({ type: 'SafeInt', required: true, description: 'Rises with every report of an incarnation.' }),
  }),
})

const NamespaceReportInput = builder.inputType('NamespaceReportInput', {
  description: "Another service's data about the host, held under its own versioned schema.",
  fields: (t) => ({
    namespace: t.string({ required: true, description: 'Whose data; compute is ours.' }),
    version: t.string({ required: true, description: "Version of that service's schema." }),
    document: t.field({ type: 'JSON', required: true, description: 'At most 65,536 characters of JSON.' }),
  }),
})

const StatsReportInput = builder.inputType('StatsReportInput', {
  description: "Exactly one: a full picture, in our words or Nova's, a delta on a known sequence, or another service's data.",
  isOneOf: true,
  fields: (t) => ({
    full: t.field({ type: FullStatsInput, description: 'A full picture.' }),
    delta: t.field({ type: StatsDeltaInput, description: 'What changed.' }),
    nova: t.field({
      type: 'JSON',
      description:
        "A full picture in Nova's words: a ComputeNode in its wire form (versions 1.0 to 1.19) or as a row of compute_nodes, alone or as { compute_node, service, cell_uuid, instances, traits, inventories }, where instances are uuids or { uuid, flavorid, image_properties }, and traits and inventories are as Placement has them.",
    }),
    namespace: t.field({ type: NamespaceReportInput, description: "Another service's data." }),
  }),
})

const ResourceStatsInput = builder.inputType('ResourceStatsInput', {
  description: "One host's report.",
  fields: (t) => ({
    name: t.field({ type: ResourceNameInput, required: true, description: 'Which host.' }),
    reporter: t.field({ type: ReporterInput, required: true, description: 'Who reports.' }),
    report: t.field({ type: StatsReportInput, required: true, description: 'What.' }),
    observedAt: t.field({
      type: 'DateTime',
      description: 'Has no effect.',
      deprecationReason: 'The order of reports comes from reporter.sequence, and their age from when they came in.',
    }),
  }),
})

const UpdateResourceStatsInput = builder.inputType('UpdateResourceStatsInput', {
  description: 'Reports of many hosts.',
  fields: (t) => ({ updates: t.field({ type: [ResourceStatsInput], required: true, description: '1 to 1000 reports.' }) }),
})

const ResourceStatsApplied = builder.objectRef<ReportApplied>('ResourceStatsApplied').implement({
  description: 'The report is known, durably.',
  fields: (t) => ({
    host: t.expose('host', { type: Host, description: 'As it is now.' }),
    revision: t.expose('revision', { type: 'Revision', description: 'Of its last change.' }),
    claimsMaterialised: t.field({
      type: [Claim],
      description: 'Claims that the report counts from now on.',
      resolve: ({ materialised }) => [...materialised],
    }),
    lastSequence: t.expose('loggedSequence', {
      type: 'SafeInt',
      nullable: true,
      description: 'Of the last report that reached the log: the base of the next delta.',
    }),
    warnings: t.field({
      type: [HostWarning],
      description: 'What the report says that cannot be, or that makes the host count for more than it may use.',
      resolve: ({ warnings }) => [...warnings],
    }),
    ignoredFields: t.exposeStringList('ignored', {
      description: "Fields of a document of Nova's that this release does not know; they had no effect.",
    }),
    required: t.field({
      type: RequiredStats,
      description: 'What the next reports of the host are to tell, and no more: what nobody reads need not be sent.',
      resolve: ({ host }, _args, { requiredStats }) => requiredStats.ofHost(host),
    }),
    unchanged: t.exposeBoolean('unchanged', { description: 'True when it said nothing new, so nothing was written.' }),
  }),
})

const ResourceStatsStale = builder.objectRef<ReportStale>('ResourceStatsStale').implement({
  description: 'A newer report is known; nothing is lost by dropping this one.',
  interfaces: [UserError],
  fields: (t) => ({
    lastSequence: t.expose('lastSequence', {
      type: 'SafeInt',
      nullable: true,
      description: 'Of the last report that reached the log.',
    }),
  }),
})

const ResourceStatsNeedFull = builder.objectRef<ReportNeedsFull>('ResourceStatsNeedFull').implement({
  description: 'The delta does not follow what is known: send a full report.',
  interfaces: [UserError],
  fields: (t) => ({
    lastSequence: t.expose('lastSequence', {
      type: 'SafeInt',
      nullable: true,
      description: 'Of the last report that reached the log, if any.',
    }),
  }),
})

const ResourceStatsResult = resultUnion(
  'ResourceStatsResult',
  'Ends of one report.',
  [ResourceStatsApplied, ResourceStatsStale, ResourceStatsNeedFull, ValidationError],
  { applied: 'ResourceStatsApplied', stale: 'ResourceStatsStale', 'needs-full': 'ResourceStatsNeedFull' },
)

const UpdateResourceStatsPayload = builder
  .objectRef<{ readonly results: readonly ReportOutcome[]; readonly revision: number }>('UpdateResourceStatsPayload')
  .implement({
    description: 'What became of each report; some may end well and others not.',
    fields: (t) => ({
      results: t.field({ type: [ResourceStatsResult], description: 'Result i answers update i.', resolve: ({ results }) => [...results] }),
      appliedCount: t.int({
        description: 'How many ended well.',
        resolve: ({ results }) => results.filter(({ type }) => type === 'applied').length,
      }),
      fleetRevision: t.expose('revision', { type: 'Revision', description: 'Give it as minRevision to read what was written.' }),
    }),
  })

builder.mutationField('updateResourceStats', (t) =>
  t.field({
    type: UpdateResourceStatsPayload,
    authScopes: { scope: 'REPORT' },
    description: 'How hosts report. A report that says nothing new writes nothing.',
    args: { input: t.arg({ type: UpdateResourceStatsInput, required: true, description: 'The reports.' }) },
    resolve: async (_root, { input }, { stats }) => stats.update(await mapInPieces(input.updates, toReport)),
  }),
)

/** What another service, or Nova, wrote is left as it is. */
const verbatim: ReadonlySet<string> = new Set(['document', 'nova'])

function toReport({ name, reporter, report }: typeof ResourceStatsInput.$inferInput, i: number): ReportInput {
  const issues: Issue[] = []
  const pciPools = report.full?.pciPools?.map(({ tags, ...pool }, j) => ({
    ...pool,
    tags: toRecord(tags, ['input', 'updates', String(i), 'report', 'full', 'pciPools', String(j), 'tags'], issues),
  }))
  const parts = report.full ? { full: { ...report.full, pciPools } } : report
  return { name, ...reporter, ...(withoutNulls(parts, verbatim) as Pick<ReportInput, 'full' | 'delta' | 'nova' | 'namespace'>), issues }
}
