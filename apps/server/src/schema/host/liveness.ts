import type { HeartbeatsTaken, LivenessConfirmed, LivenessView } from '../../services/host/liveness.ts'
import { builder } from '../builder.ts'
import { ResourceNameInput } from '../types/common.ts'
import { NotFound, resultUnion, ValidationError } from '../types/errors.ts'
import { Host } from '../types/refs.ts'

const LivenessRef = builder.objectRef<LivenessView>('Liveness').implement({
  description: 'The liveness of hosts, independent of the content of their reports, and its source.',
  fields: (t) => ({
    source: t.exposeString('source', {
      description: 'reports: a host lives while it reports or sends heartbeats. static: every host does.',
    }),
    suspectAfter: t.expose('suspectAfterMs', { type: 'Duration', description: 'A host that is silent for this long is SUSPECT.' }),
    downAfter: t.expose('downAfterMs', {
      type: 'Duration',
      description: 'After this further time it is DOWN: no new instance is placed there; its claims stay.',
    }),
    checkedAt: t.expose('checkedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The store time of the last check of the hosts; null before the first.',
    }),
    up: t.int({ description: 'The number of hosts that are UP.', resolve: ({ counts }) => counts.UP }),
    suspect: t.int({ description: 'The number of hosts that are SUSPECT.', resolve: ({ counts }) => counts.SUSPECT }),
    down: t.int({ description: 'The number of hosts that are DOWN.', resolve: ({ counts }) => counts.DOWN }),
    withheld: t.field({
      type: [Host],
      description:
        'The number of silent hosts that are not set DOWN, because too many became silent at once: livenessConfirm confirms that they are.',
      resolve: ({ withheld }) => [...withheld],
    }),
    warning: t.exposeString('warning', { nullable: true, description: 'A warning for operators; null if no host is withheld.' }),
  }),
})

builder.queryField('liveness', (t) =>
  t.field({
    type: LivenessRef,
    authScopes: { scope: 'READ' },
    description: 'The liveness of the fleet.',
    resolve: (_root, _args, { liveness }) => liveness.view(),
  }),
)

const HostHeartbeatPayload = builder.objectRef<HeartbeatsTaken>('HostHeartbeatPayload').implement({
  description: 'The heartbeats were received.',
  fields: (t) => ({
    heard: t.exposeInt('heard', { description: 'The number of hosts, with all their nodes.' }),
    unknown: t.field({
      type: ['String'],
      description: 'The names of hosts that have never reported: a heartbeat adds no host.',
      resolve: ({ unknown }) => [...unknown],
    }),
  }),
})

const LivenessConfirmPayload = builder.objectRef<LivenessConfirmed>('LivenessConfirmPayload').implement({
  description: 'The hosts are DOWN until their next sign of life. Their claims stay.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The hosts in their present state.', resolve: ({ hosts }) => [...hosts] }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'Pass it as minRevision to read what was written.' }),
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
      'Reports that hosts are alive, and nothing else. Heartbeats are written in batches, never to the log; a host that was not UP becomes UP at once.',
    args: { hosts: t.arg({ type: [ResourceNameInput], required: true, description: '1 to 1000 hosts; without a node, all its nodes.' }) },
    resolve: (_root, { hosts }, { liveness }) => liveness.heartbeat(hosts),
  }),
  livenessConfirm: t.field({
    type: LivenessConfirmResult,
    authScopes: { scope: 'OPERATE' },
    description: 'Confirms that silent hosts are DOWN, after so many became silent at once that the service did not assume it.',
    args: {
      hosts: t.arg({ type: [ResourceNameInput], required: true, description: '1 to 1000 hosts, each SUSPECT or DOWN.' }),
      reason: t.arg.string({ required: true, description: 'The reason, 1 to 1000 characters, for later readers.' }),
    },
    resolve: (_root, { hosts, reason }, { liveness }) => liveness.confirm(hosts, reason),
  }),
}))
