import { showUnseen } from '@gantt/scheduler-core'
import { InputFault } from '../../services/calls/outcome.ts'
import type { DrainedInstance as DrainedInstanceShape, Drain as DrainShape } from '../../services/move/drain.ts'
import { builder } from '../builder.ts'
import { isOneOfSeveral } from '../host/other-nodes.ts'
import { ReasonCount } from '../types/reasons.ts'

const MOST_SHOWN = 500

const DrainedInstance = builder.objectRef<DrainedInstanceShape>('DrainedInstance').implement({
  description: 'The instances on a drained host, claim by claim.',
  fields: (t) => ({
    claimId: t.string({ description: 'Id of the claim that moves.', resolve: ({ claim }) => claim.id }),
    instanceUuid: t.string({
      nullable: true,
      description: 'The instance; null if its claim names none.',
      resolve: ({ claim }) => claim.instance,
    }),
    fromHost: t.string({ description: 'The drained host.', resolve: ({ from }) => from.host }),
    fromNode: t.string({ description: 'Node that the instance leaves.', resolve: ({ from }) => from.node }),
    fromHasOtherNodes: t.boolean({
      description: 'Whether that host has other nodes, so that its name alone means these too.',
      resolve: ({ from }, _args, { hosts }) => isOneOfSeveral(hosts, from),
    }),
    toHost: t.string({
      nullable: true,
      description: 'The destination; null: no host was found, and the instance stays.',
      resolve: ({ to }) => to?.host ?? null,
    }),
    toNode: t.string({ nullable: true, description: 'Node that the instance would move to.', resolve: ({ to }) => to?.node ?? null }),
    message: t.string({
      nullable: true,
      description: 'Why it stays; null if it moves.',
      resolve: ({ message }) => (message === null ? null : showUnseen(message)),
    }),
    reasons: t.field({
      type: [ReasonCount],
      description: 'Why hosts were refused, if none was found.',
      resolve: ({ reasons }) => [...reasons],
    }),
  }),
})

export const Drain = builder.objectRef<DrainShape>('Drain').implement({
  description: 'The results for the instances on hosts that an overlay drains.',
  fields: (t) => ({
    moved: t.int({
      description: 'The number of instances that move.',
      resolve: ({ instances }) => instances.filter(({ to }) => to !== null).length,
    }),
    stuck: t.int({
      description: 'The number of instances that find no host, and stay.',
      resolve: ({ instances }) => instances.filter(({ to }) => to === null).length,
    }),
    withoutClaims: t.exposeInt('withoutClaims', {
      description: 'The number of reported instances without a claim. Their requests are not known, so they stay too.',
    }),
    instances: t.field({
      type: [DrainedInstance],
      description: 'The instances, the oldest claim first.',
      args: {
        first: t.arg.int({ defaultValue: 50, description: 'The maximum number, 0 to 500.' }),
        stuck: t.arg.boolean({ description: 'True: only instances that stay; false: only instances that move.' }),
      },
      resolve: ({ instances }, { first, stuck }) => {
        const most = first ?? 50
        if (most < 0 || most > MOST_SHOWN) throw InputFault.at(['instances', 'first'], most, `0 to ${MOST_SHOWN}`)
        return instances.filter(({ to }) => stuck === null || stuck === undefined || stuck === (to === null)).slice(0, most)
      },
    }),
  }),
})

export const drainDescription = 'The results for the instances on hosts that the overlay drains; null if it drains none.'
