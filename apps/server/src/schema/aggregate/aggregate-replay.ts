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
  description: 'A request whose result differs because of the edit.',
  fields: (t) => ({
    decision: t.expose('decision', { type: Decision, description: 'The original decision on the request.' }),
    kind: t.expose('kind', { type: DisagreementKind, description: 'How the result with the edit differs from the result without it.' }),
    hostsBefore: t.stringList({
      description: 'The hosts on which the request would be placed now, without the edit.',
      resolve: (one) => [...one.hostsBefore],
    }),
    hostsAfter: t.stringList({
      description: 'The hosts on which the request would be placed with the edit.',
      resolve: (one) => [...one.hostsAfter],
    }),
    because: t.exposeString('because', { description: 'Why the result with the edit differs from the result without it, as a sentence.' }),
  }),
})

const ZoneRoom = builder.objectRef<ZoneRoomShape>('ZoneRoom').implement({
  description: 'How many more instances of a flavor fit in one availability zone.',
  fields: (t) => ({
    zone: t.exposeString('zone', { description: 'Name of the availability zone.' }),
    before: t.exposeInt('before', { description: 'How many more instances fit without the edit.' }),
    after: t.exposeInt('after', { description: 'How many more instances fit with the edit.' }),
  }),
})

const FlavorRoom = builder.objectRef<FlavorRoomShape>('FlavorRoom').implement({
  description: 'How many more instances of one flavor fit, using the latest request for this flavor.',
  fields: (t) => ({
    flavor: t.exposeString('flavor', { description: 'The name of the flavor in requests.' }),
    before: t.exposeInt('before', { description: 'How many more instances fit without the edit.' }),
    after: t.exposeInt('after', { description: 'How many more instances fit with the edit.' }),
    exact: t.exposeBoolean('exact', { description: 'False if counting stopped at the deadline, so that more instances may fit.' }),
    zones: t.field({
      type: [ZoneRoom],
      description: 'The availability zones in which an instance fits with or without the edit, largest change first, at most 20.',
      resolve: ({ zones }) => [...zones],
    }),
  }),
})

export const AggregateReplay = builder.objectRef<Shape>('AggregateReplay').implement({
  description:
    'The results of recent requests on the present fleet. Each request is decided twice, with the edit and without it, by the active version of its profile and independently of the other requests. Nothing is claimed.',
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'Revision', description: 'The revision of the fleet on which the requests were decided.' }),
    drawn: t.exposeInt('drawn', { description: 'How many recent requests, of all profiles, were selected for the replay.' }),
    sampled: t.exposeInt('sampled', { description: 'How many of the selected requests were decided.' }),
    outOfTime: t.int({
      description: 'How many selected requests were left out because the deadline passed.',
      resolve: ({ leftOut }) => leftOut.outOfTime,
    }),
    notReplayable: t.int({
      description:
        'How many selected requests were left out because an object that they need no longer exists, or because only a solver or a plug-in outside of the process could decide them.',
      resolve: ({ leftOut }) => leftOut.notReplayable,
    }),
    unreadable: t.int({
      description: 'How many selected requests were left out because their records cannot be read (RECORD_UNREADABLE).',
      resolve: ({ leftOut }) => leftOut.unreadable,
    }),
    newFailures: t.int({
      description: 'How many requests have fewer instances placed with the edit than without it.',
      resolve: ({ counts }) => counts.NEW_FAILURE,
    }),
    newPlacements: t.int({
      description: 'How many requests have more instances placed with the edit than without it.',
      resolve: ({ counts }) => counts.NEW_PLACEMENT,
    }),
    elsewhere: t.int({
      description: 'How many requests go to other hosts because of the edit.',
      resolve: ({ counts }) => counts.ELSEWHERE,
    }),
    otherwise: t.field({
      type: [AggregateReplayedRequest],
      description:
        'The requests whose results differ because of the edit, at most 100: new failures first, then new placements, then requests that go to other hosts.',
      resolve: ({ otherwise }) => [...otherwise],
    }),
    room: t.field({
      type: [FlavorRoom],
      description:
        'How many more instances of the five most requested flavors fit. Requests whose instances depend on other instances are ignored, for example requests with a server group. Fewer flavors are listed if the deadline passed.',
      resolve: ({ room }) => [...room],
    }),
  }),
})
