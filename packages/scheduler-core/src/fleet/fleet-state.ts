import type { JudgedFleet } from '../claims/judged-fleet.ts'
import type { Aggregates } from './aggregates.ts'

/** The parts of a fleet that are needed to apply reports, allocation settings, and changes by which hosts leave. */
export interface FleetState extends JudgedFleet {
  readonly aggregates: Aggregates
}
