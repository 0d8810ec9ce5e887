import { showUnseen } from '@gantt/scheduler-core'
import { InputFault } from '../../services/calls/outcome.ts'
import type { DrainedInstance as DrainedInstanceShape, Drain as DrainShape } from '../../services/move/drain.ts'
import { builder } from '../builder.ts'
import { isOneOfSeveral } from '../host/other-nodes.ts'
import { ReasonCount } from '../types/reasons.ts'

const MAX_SHOWN = 500

const DrainedInstance = builder.objectRef<DrainedInstanceShape>('DrainedInstance').implement({
  description: 'One instance on a drained host, with its destination.',
  fields: (t) => ({
    claimId: t.string({ description: "The id of the instance's claim on the drained host.", resolve: ({ claim }) => claim.id }),
    instanceUuid: t.string({
      nullable: true,
      description: 'The UUID of the instance; null if its claim does not name an instance.',
      resolve: ({ claim }) => claim.instance,
    }),
    fromHost: t.string({ description: 'The name of the drained host.', resolve: ({ from }) => from.host }),
    fromNode: t.string({ description: 'The name of the node that the instance would leave.', resolve: ({ from }) => from.node }),
    fromHasOtherNodes: t.boolean({
      description: 'True if the drained host has further nodes, so that the name of the host alone means all of them.',
      resolve: ({ from }, _args, { hosts }) => isOneOfSeveral(hosts, from),
    }),
    toHost: t.string({
      nullable: true,
      description: 'The host to which the instance would move; null if no host was found and the instance stays.',
      resolve: ({ to }) => to?.host ?? null,
    }),
    toNode: t.string({
      nullable: true,
      description: 'The name of the node to which the instance would move.',
      resolve: ({ to }) => to?.node ?? null,
    }),
    message: t.string({
      nullable: true,
      description: 'Why the instance stays; null if it moves.',
      resolve: ({ message }) => (message === null ? null : showUnseen(message)),
    }),
    reasons: t.field({
      type: [ReasonCount],
      description: 'Why hosts were refused, if no host was found for the instance.',
      resolve: ({ reasons }) => [...reasons],
    }),
  }),
})

export const Drain = builder.objectRef<DrainShape>('Drain').implement({
  description: 'What happens to the instances on hosts that an overlay drains.',
  fields: (t) => ({
    moved: t.int({
      description: 'How many instances move.',
      resolve: ({ instances }) => instances.filter(({ to }) => to !== null).length,
    }),
    stuck: t.int({
      description: 'How many instances stay because no host was found for them.',
      resolve: ({ instances }) => instances.filter(({ to }) => to === null).length,
    }),
    withoutClaims: t.exposeInt('withoutClaims', {
      description: 'How many reported instances have no claim. They stay on the host, because their requests are not known.',
    }),
    instances: t.field({
      type: [DrainedInstance],
      description: 'The instances, those with the oldest claims first.',
      args: {
        first: t.arg.int({ defaultValue: 50, description: 'At most this many instances are listed, 0 to 500.' }),
        stuck: t.arg.boolean({ description: 'True: only instances that stay. False: only instances that move. By default both.' }),
      },
      resolve: ({ instances }, { first, stuck }) => {
        const most = first ?? 50
        if (most < 0 || most > MAX_SHOWN) throw InputFault.at(['instances', 'first'], most, `0 to ${MAX_SHOWN}`)
        return instances.filter(({ to }) => stuck === null || stuck === undefined || stuck === (to === null)).slice(0, most)
      },
    }),
  }),
})

export const drainDescription = 'What happens to the instances on hosts that the overlay drains; null if it drains no host.'
