import type {
  FlavorRoom as FlavorRoomShape,
  ReplayedOtherwise,
  AggregateReplay as Shape,
  ZoneRoom as ZoneRoomShape,
} from '../services/aggregate-replay.ts'
import { builder } from './builder.ts'
import { DisagreementKind } from './profile-comparison.ts'
import { Decision } from './refs.ts'

const AggregateReplayedRequest = builder.objectRef<ReplayedOtherwise>('AggregateReplayedRequest').implement({
  description: 'A request that would fare otherwise with the edit.',
  fields: (t) => ({
    decision: t.expose('decision', { type: Decision, description: 'What was decided then.' }),
    kind: t.expose('kind', { type: DisagreementKind, description: 'How it would differ, seen from the fleet without the edit.' }),
    hostsBefore: t.stringList({ description: 'Where it would go now, without the edit.', resolve: (one) => [...one.hostsBefore] }),
    hostsAfter: t.stringList({ description: 'Where it would go with it.', resolve: (one) => [...one.hostsAfter] }),
    because: t.exposeString('because', { description: 'Why, as a sentence.' }),
  }),
})

const ZoneRoom = builder.objectRef<ZoneRoomShape>('ZoneRoom').implement({
  description: 'How many more instances of a flavor fit in one availability zone.',
  fields: (t) => ({
    zone: t.exposeString('zone', { description: 'The zone.' }),
    before: t.exposeInt('before', { description: 'Without the edit.' }),
    after: t.exposeInt('after', { description: 'With it.' }),
  }),
})

const FlavorRoom = builder.objectRef<FlavorRoomShape>('FlavorRoom').implement({
  description: 'How many more instances of a flavor fit, by the last request of it.',
  fields: (t) => ({
    flavor: t.exposeString('flavor', { description: 'The flavor, as callers name it.' }),
    before: t.exposeInt('before', { description: 'Without the edit.' }),
    after: t.exposeInt('after', { description: 'With it.' }),
    exact: t.exposeBoolean('exact', { description: 'False: at least so many, as there was no time to count on.' }),
    zones: t.field({
      type: [ZoneRoom],
      description: 'Zones in which any fit, on either side: those that change most first, at most 20.',
      resolve: ({ zones }) => [...zones],
    }),
  }),
})

export const AggregateReplay = builder.objectRef<Shape>('AggregateReplay').implement({
  description:
    'What the last requests would meet on the fleet of now, each asked anew and by itself, by the versions of their profiles that decide now, without the edit and with it. Nothing is claimed.',
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'Revision', description: 'Revision of that fleet.' }),
    drawn: t.exposeInt('drawn', { description: 'Requests that were to be asked: the last, of all profiles.' }),
    sampled: t.exposeInt('sampled', { description: 'Of these, asked.' }),
    outOfTime: t.int({ description: 'Left out as the deadline was over.', resolve: ({ leftOut }) => leftOut.outOfTime }),
    notReplayable: t.int({
      description: 'Left out as what they need is not there any more, or only a solver or a part outside of the process could tell.',
      resolve: ({ leftOut }) => leftOut.notReplayable,
    }),
    unreadable: t.int({
      description: 'Left out as their records cannot be read (RECORD_UNREADABLE).',
      resolve: ({ leftOut }) => leftOut.unreadable,
    }),
    newFailures: t.int({ description: 'Requests of which fewer instances find a host.', resolve: ({ counts }) => counts.NEW_FAILURE }),
    newPlacements: t.int({ description: 'Requests of which more do.', resolve: ({ counts }) => counts.NEW_PLACEMENT }),
    elsewhere: t.int({ description: 'Requests that go to other hosts.', resolve: ({ counts }) => counts.ELSEWHERE }),
    otherwise: t.field({
      type: [AggregateReplayedRequest],
      description: 'Those that differ: new failures first, then new placements, then other hosts; at most 100.',
      resolve: ({ otherwise }) => [...otherwise],
    }),
    room: t.field({
      type: [FlavorRoom],
      description: 'Room for the five flavors that were asked for most, by requests without a group; fewer when the deadline was over.',
      resolve: ({ room }) => [...room],
    }),
  }),
})
