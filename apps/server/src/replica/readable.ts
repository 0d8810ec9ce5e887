import { type Checkpoint, FEATURE_LEVEL, UnknownEntryError } from '@gantt/scheduler-core'

/** Throws UnknownEntryError for a checkpoint of a log whose feature level this release does not read. */
export function assertReadableCheckpoint({ place, featureLevel }: Checkpoint): void {
  if (featureLevel > FEATURE_LEVEL)
    throw new UnknownEntryError(
      `the checkpoint at revision ${place.revision} has feature level ${featureLevel}; this release reads ${FEATURE_LEVEL}`,
    )
}
