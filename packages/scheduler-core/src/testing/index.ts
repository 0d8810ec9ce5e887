import '../bundled.ts'

export { Churn } from './churn.ts'
export { aClaim, aMove, anAttempt, aUuid, type ClaimShape, someInstances } from './claims.ts'
export { aSolution, solveExactly } from './exact-solver.ts'
export { aDocument, aFleet, aReport, type HostShape } from './fleet.ts'
export { forgetMovedUnits, type PickedUnitKind, pickedUnits } from './forget-moved-units.ts'
export { aLog, type TestLog } from './log.ts'
export { aRequest } from './request.ts'
