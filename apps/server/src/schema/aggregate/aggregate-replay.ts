import type {
  FlavorRoom as FlavorRoomShape,
  ReplayedOtherwise,
  AggregateReplay as Shape,
  ZoneRoom as ZoneRoomShape,
} from '../../services/aggregate/aggregate-replay.ts'
import { builder } from '../builder.ts'
import { DisagreementKind } from '../profile/profile-comparison.ts'
import { Decision } from '../types/refs.ts'

const AggregateReplayedRequest = builder.objectRef<ReplayedOtherwise>('AggregateReplayedRequest').implement({
  description: 'A request whose result differs with the edit.',
  fields: (t) => ({
    decision: t.expose('decision', { type: Decision, description: 'The decision that was made at the time.' }),
    kind: t.expose('kind', { type: DisagreementKind, description: 'How the result differs, compared with the fleet without the edit.' }),
    hostsBefore: t.stringList({
      description: 'The hosts that it would be placed on now, without the edit.',
      resolve: (one) => [...one.hostsBefore],
    }),
    hostsAfter: t.stringList({ description: 'The hosts that it would be placed on with the edit.', resolve: (one) => [...one.hostsAfter] }),
    because: t.exposeString('because', { description: 'The reason, as a sentence.' }),
  }),
})

const ZoneRoom = builder.objectRef<ZoneRoomShape>('ZoneRoom').implement({
  description: 'How many more instances of a flavor fit in one availability zone.',
  fields: (t) => ({
    zone: t.exposeString('zone', { description: 'Name of the availability zone.' }),
    before: t.exposeInt('before', { description: 'How many more fit without the edit.' }),
    after: t.exposeInt('after', { description: 'How many more fit with the edit.' }),
  }),
})

const FlavorRoom = builder.objectRef<FlavorRoomShape>('FlavorRoom').implement({
  description: 'How many more instances of a flavor fit, by the last request for it.',
  fields: (t) => ({
    flavor: t.exposeString('flavor', { description: 'The flavor, as callers name it.' }),
    before: t.exposeInt('before', { description: 'How many more fit without the edit.' }),
    after: t.exposeInt('after', { description: 'How many more fit with the edit.' }),
    exact: t.exposeBoolean('exact', { description: 'False: the count ended at the deadline, so that more may fit.' }),
    zones: t.field({
      type: [ZoneRoom],
      description: 'Zones in which any instance fits, on either side: those with the largest change first, at most 20.',
      resolve: ({ zones }) => [...zones],
    }),
  }),
})

export const AggregateReplay = builder.objectRef<Shape>('AggregateReplay').implement({
  description:
    'The results of recent requests on the present fleet, each decided independently by the active version of its profile, without the edit and with it. Nothing is claimed.',
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'Revision', description: 'Revision of that fleet.' }),
    drawn: t.exposeInt('drawn', { description: 'Requests that were to be decided: the last, of all profiles.' }),
    sampled: t.exposeInt('sampled', { description: 'Number of those requests that were asked.' }),
    outOfTime: t.int({ description: 'Left out as the deadline was over.', resolve: ({ leftOut }) => leftOut.outOfTime }),
    notReplayable: t.int({
      description:
        'Requests that were left out because something that they need no longer exists, or because only a solver or a part outside of the process could decide them.',
      resolve: ({ leftOut }) => leftOut.notReplayable,
    }),
    unreadable: t.int({
      description: 'Requests that were left out because their records cannot be read (RECORD_UNREADABLE).',
      resolve: ({ leftOut }) => leftOut.unreadable,
    }),
    newFailures: t.int({ description: 'Requests of which fewer instances are placed.', resolve: ({ counts }) => counts.NEW_FAILURE }),
    newPlacements: t.int({ description: 'Requests of which more instances are placed.', resolve: ({ counts }) => counts.NEW_PLACEMENT }),
    elsewhere: t.int({ description: 'Requests that go to other hosts.', resolve: ({ counts }) => counts.ELSEWHERE }),
    otherwise: t.field({
      type: [AggregateReplayedRequest],
      description: 'The requests with a different result: new failures first, then new placements, then other hosts; at most 100.',
      resolve: ({ otherwise }) => [...otherwise],
    }),
    room: t.field({
      type: [FlavorRoom],
      description: 'The capacity for the five most requested flavors, by requests without a group; fewer flavors if the deadline was over.',
      resolve: ({ room }) => [...room],
    }),
  }),
})
