import type { Liveness } from '@gantt/scheduler-core'
import { builder } from '../builder.ts'
import { PluginVersion } from '../profile/plugin.ts'
import { Replica } from './replica.ts'

const HostStates = builder.objectRef<Readonly<Record<Liveness, number>>>('HostStates').implement({
  description: 'How many hosts are UP, SUSPECT and DOWN.',
  fields: (t) => ({
    up: t.exposeInt('UP', { description: 'How many hosts are UP.' }),
    suspect: t.exposeInt('SUSPECT', { description: 'How many hosts are SUSPECT.' }),
    down: t.exposeInt('DOWN', { description: 'How many hosts are DOWN.' }),
  }),
})

// What a replica reports about itself with each sign of life. The values are null if its release does not report them.
builder.objectFields(Replica, (t) => ({
  decisionsPerSecond: t.float({
    nullable: true,
    description: 'Decisions per second in the last minute, including those that claim nothing; null if the replica does not report it.',
    resolve: ({ vitals }) => vitals?.decisionsPerSecond ?? null,
  }),
  proposals: t.int({
    nullable: true,
    description: 'How many proposals of the replica had a result in the last minute, with and without effect. Each is for one request.',
    resolve: ({ vitals }) => vitals?.proposals ?? null,
  }),
  conflicts: t.int({
    nullable: true,
    description: "The replica's `proposals` without effect: they conflicted with an earlier log entry, or the store refused them.",
    resolve: ({ vitals }) => vitals?.conflicts ?? null,
  }),
  conflictRate: t.float({
    nullable: true,
    description: "The share of `conflicts` in the replica's `proposals`, 0 to 1; null if no proposal is known.",
    resolve: ({ vitals }) => (vitals === null || vitals.proposals === 0 ? null : vitals.conflicts / vitals.proposals),
  }),
  memoryBytes: t.field({
    type: 'SafeInt',
    nullable: true,
    description: "The resident memory (RSS) of the replica's process, in bytes.",
    resolve: ({ vitals }) => vitals?.memoryBytes ?? null,
  }),
  hosts: t.field({
    type: HostStates,
    nullable: true,
    description: 'How many hosts are UP, SUSPECT and DOWN, as the replica sees them.',
    resolve: ({ vitals }) => vitals?.hosts ?? null,
  }),
  plugins: t.field({
    type: [PluginVersion],
    nullable: true,
    description:
      'The plug-ins that the replica has loaded, in the order of its configuration; null if the replica does not report them or does not follow the log yet.',
    resolve: ({ vitals }) => (vitals?.plugins ? [...vitals.plugins] : null),
  }),
}))
