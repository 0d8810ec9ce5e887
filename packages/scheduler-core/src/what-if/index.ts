export { append, appendInSteps, applyEdits, REMOVED } from './apply-edits.ts'
export { type Bottleneck, type Capacity, type CapacityGroup, type CapacityOptions, countCapacity } from './capacity.ts'
export { type CurvePoint, curveOf } from './curve.ts'
export {
  addedNames,
  type FleetEdits,
  type FleetEditsInput,
  findAggregate,
  isNoEdit,
  joinEdits,
  MOST_ADDED,
  NO_EDITS,
  parseFleetEdits,
  parseFleetEditsInSteps,
} from './edits.ts'
export { type ChangeKind, changeKinds, type ProposedChange } from './remedies/remedy.ts'
export {
  MOST_SIMULATED,
  type Simulated,
  type SimulatedDecision,
  type SimulatedQuestion,
  type SimulatedRequest,
  type SimulateOptions,
  simulate,
} from './simulate.ts'
export { type ClassUse, utilisationOf, type ZoneUse } from './utilisation.ts'
export { type Counterfactual, type WhatWouldFit, type WhatWouldFitOptions, whatWouldFit } from './what-would-fit.ts'
