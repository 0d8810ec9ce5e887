import type { JudgedFleet } from '../claims/judged-fleet.ts'
import type { Aggregates } from './aggregates.ts'

/** The parts of a fleet that are read and written by reports, by edits of allocation settings, and by changes with which hosts leave. */
export interface FleetState extends JudgedFleet {
  readonly aggregates: Aggregates
}
