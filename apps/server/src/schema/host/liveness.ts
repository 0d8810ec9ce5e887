import type { HeartbeatsTaken, LivenessConfirmed, LivenessView } from '../../services/host/liveness.ts'
import { builder } from '../builder.ts'
import { ResourceNameInput } from '../types/common.ts'
import { NotFound, resultUnion, ValidationError } from '../types/errors.ts'
import { Host } from '../types/refs.ts'

const LivenessRef = builder.objectRef<LivenessView>('Liveness').implement({
  description:
    'How many hosts are alive, and how liveness is determined. The liveness of a host does not depend on the content of its reports.',
  fields: (t) => ({
    source: t.exposeString('source', {
      description:
        'How liveness is determined. reports: a host is alive while it sends reports or heartbeats. static: every host is alive. Another value names the lease provider of a plug-in.',
    }),
    suspectAfter: t.expose('suspectAfterMs', { type: 'Duration', description: 'A host that is silent for this long is SUSPECT.' }),
    downAfter: t.expose('downAfterMs', {
      type: 'Duration',
      description: 'A host that has been silent for this long is DOWN: it takes no new instances, and its claims stay.',
    }),
    checkedAt: t.expose('checkedAt', {
      type: 'DateTime',
      nullable: true,
      description: "When the hosts were last checked, by the database's clock; null before the first check.",
    }),
    up: t.int({ description: 'How many hosts are UP.', resolve: ({ counts }) => counts.UP }),
    suspect: t.int({ description: 'How many hosts are SUSPECT.', resolve: ({ counts }) => counts.SUSPECT }),
    down: t.int({ description: 'How many hosts are DOWN.', resolve: ({ counts }) => counts.DOWN }),
    withheld: t.field({
      type: [Host],
      description:
        'Silent hosts that are not set DOWN, because too many hosts became silent at once. `livenessConfirm` confirms that they are DOWN.',
      resolve: ({ withheld }) => [...withheld],
    }),
    warning: t.exposeString('warning', { nullable: true, description: 'A warning for operators; null if `withheld` is empty.' }),
  }),
})

builder.queryField('liveness', (t) =>
  t.field({
    type: LivenessRef,
    authScopes: { scope: 'READ' },
    description: 'How many hosts are UP, SUSPECT and DOWN, and how liveness is determined.',
    resolve: (_root, _args, { liveness }) => liveness.view(),
  }),
)

const HostHeartbeatPayload = builder.objectRef<HeartbeatsTaken>('HostHeartbeatPayload').implement({
  description: 'The heartbeats were received.',
  fields: (t) => ({
    heard: t.exposeInt('heard', { description: 'How many hosts sent a heartbeat. Each node counts as a host.' }),
    unknown: t.field({
      type: ['String'],
      description: 'The names of hosts that have never reported. A heartbeat does not add hosts to the fleet.',
      resolve: ({ unknown }) => [...unknown],
    }),
  }),
})

const LivenessConfirmPayload = builder.objectRef<LivenessConfirmed>('LivenessConfirmPayload').implement({
  description: 'The hosts are DOWN until their next report or heartbeat. Their claims stay.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The hosts in their present state.', resolve: ({ hosts }) => [...hosts] }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: "The change's revision. Pass it as minRevision to later calls." }),
  }),
})

const LivenessConfirmResult = resultUnion(
  'LivenessConfirmResult',
  'Outcomes of livenessConfirm.',
  [LivenessConfirmPayload, NotFound, ValidationError],
  { done: 'LivenessConfirmPayload' },
)

builder.mutationFields((t) => ({
  hostHeartbeat: t.field({
    type: HostHeartbeatPayload,
    authScopes: { scope: 'REPORT' },
    description:
      'Reports that hosts are alive, without other content. Heartbeats are written in batches and never to the log. A host that was not UP becomes UP at once.',
    args: {
      hosts: t.arg({
        type: [ResourceNameInput],
        required: true,
        description: '1 to 1000 hosts. A name without a node means all nodes of the host.',
      }),
    },
    resolve: (_root, { hosts }, { liveness }) => liveness.heartbeat(hosts),
  }),
  livenessConfirm: t.field({
    type: LivenessConfirmResult,
    authScopes: { scope: 'OPERATE' },
    description:
      'Confirms that silent hosts are DOWN. This is required after so many hosts became silent at once that the service does not set them DOWN by itself.',
    args: {
      hosts: t.arg({ type: [ResourceNameInput], required: true, description: 'The silent hosts, 1 to 1000, each SUSPECT or DOWN.' }),
      reason: t.arg.string({
        required: true,
        description: 'Why the hosts are considered DOWN, 1 to 1000 characters, recorded for later readers.',
      }),
    },
    resolve: (_root, { hosts, reason }, { liveness }) => liveness.confirm(hosts, reason),
  }),
}))
