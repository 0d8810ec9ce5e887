import type { JudgedFleet } from '../claims/judged-fleet.ts'
import type { Aggregates } from './aggregates.ts'

/** The parts of a fleet that reports, edits of allocation settings, and changes by which hosts leave read and write. */
export interface FleetState extends JudgedFleet {
  readonly aggregates: Aggregates
}
