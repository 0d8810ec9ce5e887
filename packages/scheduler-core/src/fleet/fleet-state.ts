import type { JudgedFleet } from '../claims/judged-fleet.ts'
import type { Aggregates } from './aggregates.ts'

/** What reports, edits of allocation and leaving hosts read and write of a fleet. */
export interface FleetState extends JudgedFleet {
  readonly aggregates: Aggregates
}
