import { mapInPieces } from '../../event-loop/lists.ts'
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
  description: 'The reporter and the order of its reports: old reports are recognised and dropped, so no idempotency key is needed.',
  fields: (t) => ({
    incarnation: t.field({
      type: 'UUID',
      required: true,
      description: 'A random id for each start of the reporter; a new one begins with a full report.',
    }),
    sequence: t.field({
      type: 'SafeInt',
      required: true,
      description: 'The number of the report, which increases with every report of an incarnation.',
    }),
  }),
})

const NamespaceReportInput = builder.inputType('NamespaceReportInput', {
  description: "Another service's data about the host, under its own versioned schema.",
  fields: (t) => ({
    namespace: t.string({ required: true, description: "The namespace of the service; compute is this service's own." }),
    version: t.string({ required: true, description: "The version of that service's schema." }),
    document: t.field({ type: 'JSON', required: true, description: 'The document, at most 65,536 characters of JSON.' }),
  }),
})

const StatsReportInput = builder.inputType('StatsReportInput', {
  description: "Exactly one: a full report, in the service's own form or Nova's, a delta to a known sequence, or another service's data.",
  isOneOf: true,
  fields: (t) => ({
    full: t.field({ type: fullStatsInput.type, description: 'A full picture of the host.' }),
    delta: t.field({ type: statsDeltaInput.type, description: 'What changed since a report that is known.' }),
    nova: t.field({
      type: 'JSON',
      description:
        "A full report in Nova's form: a ComputeNode in its wire form (versions 1.0 to 1.19) or as a row of compute_nodes, alone or as { compute_node, service, cell_uuid, instances, traits, inventories }, where instances are uuids or { uuid, flavorid, image_properties }, and traits and inventories have Placement's form.",
    }),
    namespace: t.field({ type: NamespaceReportInput, description: "Another service's data." }),
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
      deprecationReason: 'Reports are ordered by reporter.sequence, and their age counts from their arrival.',
    }),
  }),
})

const UpdateResourceStatsInput = builder.inputType('UpdateResourceStatsInput', {
  description: 'Reports of many hosts.',
  fields: (t) => ({ updates: t.field({ type: [ResourceStatsInput], required: true, description: '1 to 1000 reports.' }) }),
})

const ResourceStatsApplied = builder.objectRef<ReportApplied>('ResourceStatsApplied').implement({
  description: 'The report was accepted, and is durable.',
  fields: (t) => ({
    host: t.expose('host', { type: Host, description: 'The host in its present state.' }),
    revision: t.expose('revision', { type: 'Revision', description: 'The revision of its last change.' }),
    claimsMaterialised: t.field({
      type: [Claim],
      description: 'The claims that the report counts from now on.',
      resolve: ({ materialised }) => [...materialised],
    }),
    lastSequence: t.expose('loggedSequence', {
      type: 'SafeInt',
      nullable: true,
      description: 'The sequence of the last report in the log: the base of the next delta.',
    }),
    warnings: t.field({
      type: [HostWarning],
      description: 'Impossible values in the report, or values that make the host count for more than it may use.',
      resolve: ({ warnings }) => [...warnings],
    }),
    ignoredFields: t.exposeStringList('ignored', {
      description: 'Fields of a document of Nova that this release does not know; they had no effect.',
    }),
    required: t.field({
      type: RequiredStats,
      description: 'The fields that the next reports of the host must contain. Fields without a reader need not be sent.',
      resolve: ({ host }, _args, { requiredStats }) => requiredStats.ofHost(host),
    }),
    unchanged: t.exposeBoolean('unchanged', { description: 'True if it had no new content, so that nothing was written.' }),
  }),
})

const ResourceStatsStale = builder.objectRef<ReportStale>('ResourceStatsStale').implement({
  description: 'A newer report was accepted before; nothing is lost by dropping this one.',
  interfaces: [UserError],
  fields: (t) => ({
    lastSequence: t.expose('lastSequence', {
      type: 'SafeInt',
      nullable: true,
      description: 'The sequence of the last report in the log.',
    }),
  }),
})

const ResourceStatsNeedFull = builder.objectRef<ReportNeedsFull>('ResourceStatsNeedFull').implement({
  description: 'The delta does not follow the last accepted report: send a full report.',
  interfaces: [UserError],
  fields: (t) => ({
    lastSequence: t.expose('lastSequence', {
      type: 'SafeInt',
      nullable: true,
      description: 'The sequence of the last report in the log, if there is one.',
    }),
  }),
})

const ResourceStatsResult = resultUnion(
  'ResourceStatsResult',
  'Outcomes of one report.',
  [ResourceStatsApplied, ResourceStatsStale, ResourceStatsNeedFull, ValidationError],
  { applied: 'ResourceStatsApplied', stale: 'ResourceStatsStale', 'needs-full': 'ResourceStatsNeedFull' },
)

const UpdateResourceStatsPayload = builder
  .objectRef<{ readonly results: readonly ReportOutcome[]; readonly revision: number }>('UpdateResourceStatsPayload')
  .implement({
    description: 'The outcomes of the reports, some of which may succeed and others not.',
    fields: (t) => ({
      results: t.field({
        type: [ResourceStatsResult],
        description: 'Result i belongs to update i.',
        resolve: ({ results }) => [...results],
      }),
      appliedCount: t.int({
        description: 'The number of accepted reports.',
        resolve: ({ results }) => results.filter(({ type }) => type === 'applied').length,
      }),
      fleetRevision: t.expose('revision', { type: 'Revision', description: 'Pass it as minRevision to read what was written.' }),
    }),
  })

builder.mutationField('updateResourceStats', (t) =>
  t.field({
    type: UpdateResourceStatsPayload,
    authScopes: { scope: 'REPORT' },
    description: 'Reports the state of hosts. A report without new content writes nothing.',
    args: { input: t.arg({ type: UpdateResourceStatsInput, required: true, description: 'The reports to store.' }) },
    resolve: async (_root, { input }, { stats }) => stats.update(await mapInPieces(input.updates, toReport)),
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
    // documents of other services and of Nova are not changed
    ...(nova != null && { nova }),
    ...(namespace && { namespace: { ...namespace, document: namespace.document } }),
    issues,
  }
}
