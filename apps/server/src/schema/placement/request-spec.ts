import {
  type RequestSpec as CoreRequestSpec,
  CURRENT_SPEC_VERSION,
  currentSpec,
  demandOf,
  restated,
  specSchemas,
  specVersions,
} from '@gantt/scheduler-core'
import { asSent } from '@gantt/scheduler-core/nova'
import { z } from 'zod'
import { documentSize, sizeRule } from '../../services/calls/json-size.ts'
import { type Issue, issue } from '../../services/calls/outcome.ts'
import type { StoredRequestSpec } from '../../services/decision/decisions.ts'
import { findAccepted } from '../../services/placement/accepted-requests.ts'
import type { SpecDocument } from '../../services/placement/placement-input.ts'
import { specDocument } from '../../services/placement/published.ts'
import { readLegacySpec, readNovaSpec } from '../../services/stats/nova-import.ts'
import { builder } from '../builder.ts'
import { inputOf } from '../forms/form-input.ts'
import { connectionOf, pageArgs } from '../types/connection.ts'
import { idOf } from '../types/ids.ts'

export const GroupPolicy = builder.enumType('GroupPolicy', {
  description:
    'The policy of a server group. AFFINITY: all members on one host. ANTI_AFFINITY: members on different hosts. The soft policies are only preferences.',
  values: ['AFFINITY', 'ANTI_AFFINITY', 'SOFT_AFFINITY', 'SOFT_ANTI_AFFINITY'] as const,
})

const ForceVerify = builder.enumType('ForceVerify', {
  description: 'Which filters run on hosts that a request forces.',
  values: {
    ALL: { description: 'All filters run on forced hosts.' },
    HARD: {
      description: 'Only these filters run: the fit filters of all resource kinds, ComputeFilter, and the filters of server groups.',
    },
    NONE: { description: 'No filters run. Only the rules that every claim must keep are checked.' },
  } as const,
})

const { nova: _, ...newest } = specSchemas[CURRENT_SPEC_VERSION].in.shape

/**
 * The schema of the newest version of a request, without the field for Nova's document, which is a separate field in the API. Requests in
 * every published version are accepted.
 */
const requestForm = z
  .strictObject({
    ...newest,
    version: z.enum(specVersions).default(CURRENT_SPEC_VERSION).describe('Version of the request form.'),
  })
  .describe("The instances to place, in Gantt's form.")

const requestInput = inputOf(requestForm, {
  name: 'RequestSpecInput',
  versions: specSchemas,
  names: {
    flavor: 'FlavorInput',
    image: 'ImageMetaInput',
    instanceGroup: 'InstanceGroupInput',
    numaTopology: 'NumaRequestInput',
    'numaTopology.cells': 'NumaCellInput',
    gpus: 'GpuRequestInput',
    pciRequests: 'PciRequestInput',
    'pciRequests.specs': 'PciSpecInput',
    requestedResources: 'ResourceGroupInput',
    'requestedResources.amounts': 'ResourceAmountInput',
    requestedDestination: 'DestinationInput',
    schedulerHints: 'HintInput',
    gang: 'GangMemberInput',
    topologySpread: 'TopologySpreadInput',
  },
  types: {
    'instanceGroup.policy': GroupPolicy,
    forceVerify: ForceVerify,
    'numaTopology.cells.pageSize': 'PageSize',
    // the API published these fields as String, and published types must not change
    'requestedResources.memberOf': 'String',
    'requestedDestination.aggregates': 'String',
    'requestedDestination.forbiddenAggregates': 'String',
  },
  printedDefaults: [
    'flavor.rootGb',
    'flavor.ephemeralGb',
    'flavor.swapMb',
    'gpus.count',
    'gpus.shareMilli',
    'requestedResources.suffix',
    'isBfv',
  ],
  notNull: ['gpus.count', 'gpus.shareMilli'],
})

export const SpecInput = builder.inputType('SpecInput', {
  description: 'A request in one of the accepted forms. Exactly one of these fields must be set.',
  isOneOf: true,
  fields: (t) => ({
    gantt: t.field({ type: requestInput.type, description: "The request in Gantt's form." }),
    nova: t.field({
      type: 'JSON',
      description:
        "Nova's RequestSpec object in its wire form, versions 1.0 to 1.14, alone or as { spec, instance_uuids }. It is stored unchanged in addition to Gantt's form, because Nova's rules distinguish unset fields from null.",
    }),
    legacy: t.field({
      type: 'JSON',
      description: 'The dictionaries that Nova used before the RequestSpec object: { request_spec, filter_properties }.',
    }),
  }),
})

/** A request in the form of the core, with maps in place of lists of pairs and without null values. */
export function toSpecDocument({ gantt, nova, legacy }: Partial<typeof SpecInput.$inferInput>, path: readonly string[]): SpecDocument {
  for (const [form, sent] of Object.entries({ gantt, nova, legacy })) {
    if (sent === undefined) continue
    const tooLarge = sizeRule(sent, documentSize)
    const at = [...path, form]
    if (tooLarge !== undefined) return { issues: [issue(at, sent, tooLarge, 'call.too_large')], path: at }
  }
  if (nova !== undefined && nova !== null) return readNovaSpec(nova, [...path, 'nova'])
  if (legacy !== undefined && legacy !== null) return readLegacySpec(legacy, [...path, 'legacy'])
  const at = [...path, 'gantt']
  const issues: Issue[] = []
  const found = gantt ? findAccepted(gantt) : undefined
  if (found?.accepted !== undefined) return { accepted: found.accepted, issues, path: at }
  return { key: found?.key, document: gantt ? requestInput.read(gantt, at, issues) : undefined, issues, path: at }
}

/**
 * Converts a request to a SpecInput (the reverse of toSpecDocument). A request that was made in Nova's form is returned in that form. Other
 * requests have either the ids of their instances or their count, because the input must not have both.
 */
export function toSpecInput(asked: CoreRequestSpec): Readonly<Record<string, unknown>> {
  // the service changes the hosts of a request without changing Nova's document, for example when a host is renamed
  const { nova, ...request } = restated(asked, {})
  if (nova !== null) return { [nova.form === 'RequestSpec' ? 'nova' : 'legacy']: asSent(nova, request.instanceUuids) }
  const { instanceUuids, numInstances, ...rest } = requestInput.write(request)
  return { gantt: { ...rest, ...(request.instanceUuids.length > 0 ? { instanceUuids } : { numInstances }) } }
}

export const RequestSpec = builder.objectRef<StoredRequestSpec>('RequestSpec')

builder.node(RequestSpec, {
  description: 'A request as it was made. Equal requests are stored only once.',
  id: { resolve: ({ id }) => id, description: 'Global id of the object.' },
  loadOne: (id, { decisions }) => decisions.findSpec(id),
  fields: (t) => ({
    version: t.exposeString('version', { description: 'The version of the document: the oldest that can express the whole request.' }),
    numInstances: t.int({ description: 'How many instances were requested.', resolve: ({ document }) => document.numInstances }),
    flavorName: t.string({
      nullable: true,
      description: 'The name of the flavor in the request.',
      resolve: ({ document }) => document.flavor.name,
    }),
    vcpus: t.int({ description: 'Virtual CPUs of one instance.', resolve: ({ document }) => demandOf(currentSpec(document)).vcpus }),
    memoryMb: t.int({
      description: 'Memory of one instance, in MiB.',
      resolve: ({ document }) => demandOf(currentSpec(document)).memoryMib,
    }),
    diskGb: t.int({
      description: 'Disk space of one instance, in GiB.',
      resolve: ({ document }) => demandOf(currentSpec(document)).diskGib,
    }),
    projectId: t.string({
      nullable: true,
      description: 'The project that the instances belong to.',
      resolve: ({ document }) => document.projectId,
    }),
    availabilityZone: t.string({
      nullable: true,
      description: 'The availability zone that was requested; null: any zone.',
      resolve: ({ document }) => document.availabilityZone,
    }),
    document: t.field({
      type: 'JSON',
      description: 'The whole request as a document (docs/request-spec.md).',
      args: {
        version: t.arg.string({
          description: 'The version of the document. By default the oldest version that can express the whole request.',
        }),
      },
      resolve: ({ document }, { version }) => specDocument(document, version ?? null),
    }),
    digest: t.exposeString('id', { description: 'The SHA-256 hash of the canonical document.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: "When the request was first made, by the database's clock." }),
  }),
})

const RequestSpecConnection = connectionOf('RequestSpec', RequestSpec)

builder.queryFields((t) => ({
  requestSpec: t.field({
    type: RequestSpec,
    nullable: true,
    authScopes: { scope: 'READ' },
    description: 'A request; null if no request has this id.',
    args: { id: t.arg.id({ required: true, description: 'Global id of the object.' }) },
    resolve: (_root, { id }, { decisions }) => decisions.findSpec(idOf('RequestSpec', id, ['id'])),
  }),
  requestSpecs: t.field({
    type: RequestSpecConnection,
    authScopes: { scope: 'READ' },
    description: 'All requests as they were made, newest first.',
    args: pageArgs(),
    resolve: (_root, args, { decisions }) => decisions.listSpecs(args),
  }),
}))
