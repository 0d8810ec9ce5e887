/** The public API of the client package. */

export { type Client, type ClientOptions, createClient, type Operation, type RequestOptions } from './client.ts'
export { type Clock, systemClock } from './clock.ts'
export type { DecisionEvent, DecisionsFilter, HostChange, HostChangesFilter } from './documents/events.ts'
export type { Explanation, WhyNot, WhyNotInput } from './documents/explaining.ts'
export { type Given, graphql, type ResultOf, type TypedDocument, type VariablesOf } from './documents/graphql.ts'
export type {
  AbandonResult,
  Alternate,
  Claim,
  ClaimCreateInput,
  ClaimCreateResult,
  ClaimRef,
  ClaimResult,
  Destination,
  Placed,
  SelectDestinationsInput,
  SelectDestinationsResult,
} from './documents/placement.ts'
export type {
  FullStats,
  HeartbeatResult,
  ResourceName,
  ResourceStats,
  ResourceStatsResult,
  StatsDelta,
  UpdateResourceStatsResult,
} from './documents/reports.ts'
export { textOf } from './documents/text.ts'
export {
  type Fault,
  FaultError,
  KeySourceError,
  mayHaveHappened,
  ProtocolError,
  type Refusal,
  RefusedError,
  retryAfter,
  UnknownOutcomeError,
  UnreachableError,
} from './errors.ts'
export type { Events, FollowOptions, Resumption } from './events.ts'
export { createGantt, type Gantt, type GanttOptions } from './gantt.ts'
export type { KeySource } from './keys.ts'
export {
  type Chosen,
  type NotConfirmed,
  type NotStarted,
  type Place,
  type PlaceInput,
  type PlaceOptions,
  type PlaceResult,
  type Refused,
  RoomLostError,
  type Start,
  type Started,
} from './place/place.ts'
export type { Placements, SelectOptions, WithKey } from './placement.ts'
export type { Reporter, ReporterOptions, ReportOptions, Reports } from './reports.ts'
export { AskAgain, type CallOptions, createRetry, type Retry, type Surroundings } from './retry.ts'
