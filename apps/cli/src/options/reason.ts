import { CommandFailure, EXIT } from '../call/failure.ts'

/** The reason that is sent with a preview without a reason. A preview changes nothing, so the reason is not recorded. */
export const PREVIEW = 'preview'

/** The reason of a change. Only a preview may omit the reason. `when` is the flag that the error message names. */
export function reasonOf(reason: string | undefined, isPreview: boolean, when = 'without --dry-run'): string {
  if (reason !== undefined) return reason
  if (isPreview) return PREVIEW
  throw new CommandFailure(EXIT.usage, `--reason is missing: ${when} give the reason, which is kept in the audit.`)
}
