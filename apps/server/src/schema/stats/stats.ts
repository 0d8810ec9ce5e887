import { mapYielding } from '../../event-loop/lists.ts'
import type { Issue } from '../../services/calls/outcome.ts'
import type { ReportInput } from '../../services/stats/report-input.ts'
import type { ReportApplied, ReportNeedsFull, ReportOutcome, ReportStale } from '../../services/stats/stats.ts'
import { builder } from '../builder.ts'
import { HostWarning } from '../host/host-warning.ts'
import { ResourceNameInput } from '../types/common.ts'
import { resultUnion, UserError, ValidationError } from '../types/errors.ts'
import { Claim, Host } from '../types/refs.ts'
import { RequiredStats } from './required-stats.ts'
import { fullStatsInput, statsDeltaInput } from './stats-input.ts'

const ReporterInput = builder.inputType('ReporterInput', {
  description: 'The reporter, and the order of its reports. Old reports are recognised and dropped, so no idempotency key is needed.',
  fields: (t) => ({
    incarnation: t.field({
      type: 'UUID',
      required: true,
      description: 'A random id for each start of the reporter. A new incarnation must begin with a full report.',
    }),
    sequence: t.field({
      type: 'SafeInt',
      required: true,
      description: 'The sequence number of the report. It increases with every report of the same incarnation.',
    }),
  }),
})

const NamespaceReportInput = builder.inputType('NamespaceReportInput', {
  description: "Data about the host from another service, in that service's own versioned schema.",
  fields: (t) => ({
    namespace: t.string({
      required: true,
      description: 'The name of the namespace under which the service reports. The name `compute` is reserved.',
    }),
    version: t.string({ required: true, description: "The version of the reporting service's schema." }),
    document: t.field({ type: 'JSON', required: true, description: 'The document, at most 65,536 characters of JSON.' }),
  }),
})

const StatsReportInput = builder.inputType('StatsReportInput', {
  description: 'The content of a report. Exactly one of these fields must be set.',
  isOneOf: true,
  fields: (t) => ({
    full: t.field({ type: fullStatsInput.type, description: "A full report of the host, in Gantt's form." }),
    delta: t.field({ type: statsDeltaInput.type, description: 'What changed since an earlier report with a known sequence number.' }),
    nova: t.field({
      type: 'JSON',
      description:
        "A full report in Nova's form: a ComputeNode in its wire form (versions 1.0 to 1.19) or as a row of compute_nodes. Give it alone, or as { compute_node, service, cell_uuid, instances, traits, inventories }. The instances are UUIDs or { uuid, flavorid, image_properties }. Traits and inventories have the form that Nova's Placement service uses.",
    }),
    namespace: t.field({ type: NamespaceReportInput, description: 'Data about the host from another service.' }),
  }),
})

const ResourceStatsInput = builder.inputType('ResourceStatsInput', {
  description: 'The report of one host.',
  fields: (t) => ({
    name: t.field({ type: ResourceNameInput, required: true, description: 'Name of the host that reports.' }),
    reporter: t.field({ type: ReporterInput, required: true, description: 'The reporter, and the order of its reports.' }),
    report: t.field({ type: StatsReportInput, required: true, description: 'The report of the host.' }),
    observedAt: t.field({
      type: 'DateTime',
      description: 'Has no effect.',
      deprecationReason: 'Reports are ordered by reporter.sequence, and their age is measured from their arrival.',
    }),
  }),
})

const UpdateResourceStatsInput = builder.inputType('UpdateResourceStatsInput', {
  description: 'Reports of many hosts.',
  fields: (t) => ({ updates: t.field({ type: [ResourceStatsInput], required: true, description: 'The reports, 1 to 1000.' }) }),
})

const ResourceStatsApplied = builder.objectRef<ReportApplied>('ResourceStatsApplied').implement({
  description: 'The report was accepted and is stored durably.',
  fields: (t) => ({
    host: t.expose('host', { type: Host, description: 'The host in its present state.' }),
    revision: t.expose('revision', { type: 'Revision', description: "The revision of the host's last change." }),
    claimsMaterialised: t.field({
      type: [Claim],
      description: 'The claims whose instances this report counts for the first time.',
      resolve: ({ materialised }) => [...materialised],
    }),
    lastSequence: t.expose('loggedSequence', {
      type: 'SafeInt',
      nullable: true,
      description: 'The sequence number of the last report in the log. The next delta must contain this number as `baseSequence`.',
    }),
    warnings: t.field({
      type: [HostWarning],
      description: 'Values in the report that are impossible, or that make this service count more usage than the host may really have.',
      resolve: ({ warnings }) => [...warnings],
    }),
    ignoredFields: t.exposeStringList('ignored', {
      description: 'Fields of a Nova document that this release does not know. They had no effect.',
    }),
    required: t.field({
      type: RequiredStats,
      description: 'The fields that the next reports of the host must contain. Fields that nothing reads need not be sent.',
      resolve: ({ host }, _args, { requiredStats }) => requiredStats.ofHost(host),
    }),
    unchanged: t.exposeBoolean('unchanged', { description: 'True if the report had no new content, so that nothing was written.' }),
  }),
})

const ResourceStatsStale = builder.objectRef<ReportStale>('ResourceStatsStale').implement({
  description:
    'The report was dropped, because a newer report was accepted before: of the same incarnation, and then nothing is lost, or of another incarnation, and then all reports of this one are ignored.',
  interfaces: [UserError],
  fields: (t) => ({
    lastSequence: t.expose('lastSequence', {
      type: 'SafeInt',
      nullable: true,
      description: 'The sequence number of the last report in the log.',
    }),
  }),
})

const ResourceStatsNeedFull = builder.objectRef<ReportNeedsFull>('ResourceStatsNeedFull').implement({
  description: 'The delta does not follow the last accepted report. Send a full report.',
  interfaces: [UserError],
  fields: (t) => ({
    lastSequence: t.expose('lastSequence', {
      type: 'SafeInt',
      nullable: true,
      description: 'The sequence number of the last report in the log; null if there is none.',
    }),
  }),
})

const ResourceStatsResult = resultUnion(
  'ResourceStatsResult',
  'Outcomes of a report.',
  [ResourceStatsApplied, ResourceStatsStale, ResourceStatsNeedFull, ValidationError],
  { applied: 'ResourceStatsApplied', stale: 'ResourceStatsStale', 'needs-full': 'ResourceStatsNeedFull' },
)

const UpdateResourceStatsPayload = builder
  .objectRef<{ readonly results: readonly ReportOutcome[]; readonly revision: number }>('UpdateResourceStatsPayload')
  .implement({
    description: 'The outcomes of the reports. Some reports may be accepted while others are not.',
    fields: (t) => ({
      results: t.field({
        type: [ResourceStatsResult],
        description: 'The outcome of each report, in the order of the reports.',
        resolve: ({ results }) => [...results],
      }),
      appliedCount: t.int({
        description: 'How many reports were accepted.',
        resolve: ({ results }) => results.filter(({ type }) => type === 'applied').length,
      }),
      fleetRevision: t.expose('revision', {
        type: 'Revision',
        description: "The change's revision. Pass it as minRevision to later calls.",
      }),
    }),
  })

builder.mutationField('updateResourceStats', (t) =>
  t.field({
    type: UpdateResourceStatsPayload,
    authScopes: { scope: 'REPORT' },
    description: 'Reports the state of hosts. For a report without new content, nothing is written.',
    args: { input: t.arg({ type: UpdateResourceStatsInput, required: true, description: 'The reports to store.' }) },
    resolve: async (_root, { input }, { stats }) => stats.update(await mapYielding(input.updates, toReport)),
  }),
)

function toReport({ name, reporter, report }: typeof ResourceStatsInput.$inferInput, i: number): ReportInput {
  const issues: Issue[] = []
  const path = ['input', 'updates', String(i), 'report']
  const { full, delta, nova, namespace } = report
  return {
    name,
    ...reporter,
    ...(full && { full: fullStatsInput.read(full, [...path, 'full'], issues) }),
    ...(delta && { delta: statsDeltaInput.read(delta, [...path, 'delta'], issues) }),
    // documents in a namespace and documents of Nova are passed on unchanged
    ...(nova != null && { nova }),
    ...(namespace && { namespace: { ...namespace, document: namespace.document } }),
    issues,
  }
}
