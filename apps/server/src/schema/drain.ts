import type { DrainedInstance as DrainedInstanceShape, Drain as DrainShape } from '../services/drain.ts'
import { InputFault } from '../services/outcome.ts'
import { builder } from './builder.ts'
import { isOneOfSeveral } from './other-nodes.ts'
import { ReasonCount } from './reasons.ts'

const MOST_SHOWN = 500

const DrainedInstance = builder.objectRef<DrainedInstanceShape>('DrainedInstance').implement({
  description: 'What is on a host that is drained, claim by claim.',
  fields: (t) => ({
    claimId: t.string({ description: 'Its claim.', resolve: ({ claim }) => claim.id }),
    instanceUuid: t.string({
      nullable: true,
      description: 'Its instance; null where its claim names none.',
      resolve: ({ claim }) => claim.instance,
    }),
    fromHost: t.string({ description: 'The host that is drained.', resolve: ({ from }) => from.host }),
    fromNode: t.string({ description: 'Its node.', resolve: ({ from }) => from.node }),
    fromHasOtherNodes: t.boolean({
      description: 'Whether that host has other nodes that are there now: its name alone means those too.',
      resolve: ({ from }, _args, { hosts }) => isOneOfSeveral(hosts, from),
    }),
    toHost: t.string({
      nullable: true,
      description: 'Where it goes; null: it finds no place, and stays.',
      resolve: ({ to }) => to?.host ?? null,
    }),
    toNode: t.string({ nullable: true, description: 'The node.', resolve: ({ to }) => to?.node ?? null }),
    message: t.exposeString('message', { nullable: true, description: 'Why it stays; null where it goes.' }),
    reasons: t.field({
      type: [ReasonCount],
      description: 'Why hosts were refused, where none was found.',
      resolve: ({ reasons }) => [...reasons],
    }),
  }),
})

export const Drain = builder.objectRef<DrainShape>('Drain').implement({
  description: 'What comes of the instances on hosts that an overlay drains.',
  fields: (t) => ({
    moved: t.int({ description: 'How many go elsewhere.', resolve: ({ instances }) => instances.filter(({ to }) => to !== null).length }),
    stuck: t.int({
      description: 'How many find no place, and stay.',
      resolve: ({ instances }) => instances.filter(({ to }) => to === null).length,
    }),
    withoutClaims: t.exposeInt('withoutClaims', {
      description: 'Instances that no claim covers, as far as the reports tell. Nobody knows what they asked for, so they stay too.',
    }),
    instances: t.field({
      type: [DrainedInstance],
      description: 'The oldest claim first.',
      args: {
        first: t.arg.int({ defaultValue: 50, description: 'How many at most, 0 to 500.' }),
        stuck: t.arg.boolean({ description: 'True: only those that find no place; false: only those that move.' }),
      },
      resolve: ({ instances }, { first, stuck }) => {
        const most = first ?? 50
        if (most < 0 || most > MOST_SHOWN) throw InputFault.at(['instances', 'first'], most, `0 to ${MOST_SHOWN}`)
        return instances.filter(({ to }) => stuck === null || stuck === undefined || stuck === (to === null)).slice(0, most)
      },
    }),
  }),
})

export const drainDescription = 'What came of the instances on hosts that the overlay drains; null where it drains none.'
