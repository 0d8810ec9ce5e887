export { append, appendInSteps, applyEdits, REMOVED } from './apply-edits.ts'
export { countCapacity } from './capacity.ts'
export type { Bottleneck, Capacity, CapacityGroup, CapacityOptions } from './capacity-groups.ts'
export { type CurvePoint, curveOf } from './curve.ts'
export {
  addedNames,
  type FleetEdits,
  type FleetEditsInput,
  fleetEditsSchema,
  isNoEdit,
  joinEdits,
  MAX_ADDED_HOSTS,
  NO_EDITS,
  parseFleetEdits,
  parseFleetEditsInSteps,
} from './edits.ts'
export {
  MAX_SIMULATED_INSTANCES,
  type Simulated,
  type SimulatedDecision,
  type SimulatedQuestion,
  type SimulatedRequest,
  type SimulateOptions,
  simulate,
} from './simulate.ts'
export { type ClassUse, utilisationOf, type ZoneUse } from './utilisation.ts'
export { type ChangeKind, changeKinds, type ProposedChange } from './would-fit/remedies/remedy.ts'
export { type Counterfactual, type WhatWouldFit, type WhatWouldFitOptions, whatWouldFit } from './would-fit/what-would-fit.ts'
