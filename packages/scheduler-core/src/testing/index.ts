export { aClaim, aMove, aUuid, type ClaimShape } from './claims.ts'
export { aFleet, aReport, type HostShape } from './fleet.ts'
export { aLog, type TestLog } from './log.ts'
export { aRequest } from './request.ts'
