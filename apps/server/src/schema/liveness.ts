import type { HeartbeatsTaken, LivenessConfirmed, LivenessView } from '../services/liveness.ts'
import { builder } from './builder.ts'
import { ResourceNameInput } from './common.ts'
import { NotFound, resultUnion, ValidationError } from './errors.ts'
import { Host } from './refs.ts'

const LivenessRef = builder.objectRef<LivenessView>('Liveness').implement({
  description: 'Whether hosts are alive, apart from what they report about themselves, and how that is known.',
  fields: (t) => ({
    source: t.exposeString('source', {
      description: 'reports: a host lives while it reports or sends heartbeats. static: every host does.',
    }),
    suspectAfter: t.expose('suspectAfterMs', { type: 'Duration', description: 'A host that is silent for this long is SUSPECT.' }),
    downAfter: t.expose('downAfterMs', { type: 'Duration', description: 'And then DOWN: nothing new goes there; its claims stay.' }),
    checkedAt: t.expose('checkedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Store time of the last look at the hosts; null before the first.',
    }),
    up: t.int({ description: 'Hosts that are heard.', resolve: ({ counts }) => counts.UP }),
    suspect: t.int({ description: 'Hosts that are silent.', resolve: ({ counts }) => counts.SUSPECT }),
    down: t.int({ description: 'Hosts that are down.', resolve: ({ counts }) => counts.DOWN }),
    withheld: t.field({
      type: [Host],
      description: 'Silent hosts that are not taken for down, because so many fell silent at once: livenessConfirm says that they are.',
      resolve: ({ withheld }) => [...withheld],
    }),
    warning: t.exposeString('warning', { nullable: true, description: 'What an operator should look at; null when nothing is withheld.' }),
  }),
})

builder.queryField('liveness', (t) =>
  t.field({
    type: LivenessRef,
    authScopes: { scope: 'READ' },
    description: 'How alive the fleet is.',
    resolve: (_root, _args, { liveness }) => liveness.view(),
  }),
)

const HostHeartbeatPayload = builder.objectRef<HeartbeatsTaken>('HostHeartbeatPayload').implement({
  description: 'The hosts were heard.',
  fields: (t) => ({
    heard: t.exposeInt('heard', { description: 'How many hosts, all their nodes.' }),
    unknown: t.field({
      type: ['String'],
      description: 'Names of hosts that have never reported: a heartbeat makes no host.',
      resolve: ({ unknown }) => [...unknown],
    }),
  }),
})

const LivenessConfirmPayload = builder.objectRef<LivenessConfirmed>('LivenessConfirmPayload').implement({
  description: 'The hosts are DOWN until they are heard again. Their claims stay.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'As they are now.', resolve: ({ hosts }) => [...hosts] }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'Give it as minRevision to read what was written.' }),
  }),
})

const LivenessConfirmResult = resultUnion(
  'LivenessConfirmResult',
  'Ends of livenessConfirm.',
  [LivenessConfirmPayload, NotFound, ValidationError],
  { done: 'LivenessConfirmPayload' },
)

builder.mutationFields((t) => ({
  hostHeartbeat: t.field({
    type: HostHeartbeatPayload,
    authScopes: { scope: 'REPORT' },
    description: 'Hosts are alive, and say nothing else. It is written in batches, never to the log; a host that was not UP is at once.',
    args: { hosts: t.arg({ type: [ResourceNameInput], required: true, description: '1 to 1000 hosts; without a node, all its nodes.' }) },
    resolve: (_root, { hosts }, { liveness }) => liveness.heartbeat(hosts),
  }),
  livenessConfirm: t.field({
    type: LivenessConfirmResult,
    authScopes: { scope: 'OPERATE' },
    description: 'An operator confirms that silent hosts are down, where so many fell silent that this is not taken for granted.',
    args: {
      hosts: t.arg({ type: [ResourceNameInput], required: true, description: '1 to 1000 hosts, each SUSPECT or DOWN.' }),
      reason: t.arg.string({ required: true, description: 'Why, 1 to 1000 characters, for those who ask later.' }),
    },
    resolve: (_root, { hosts, reason }, { liveness }) => liveness.confirm(hosts, reason),
  }),
}))
