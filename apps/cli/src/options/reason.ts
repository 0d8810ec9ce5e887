import { CommandFailure, EXIT } from '../call/failure.ts'

/** The reason that is sent with a preview if the user gave none. A preview changes nothing, so the reason is not recorded. */
export const PREVIEW = 'preview'

/** The reason of a change. Only a preview may omit the reason. `when` says in the error message when a reason is required. */
export function reasonOf(reason: string | undefined, isPreview: boolean, when = 'without --dry-run'): string {
  if (reason !== undefined) return reason
  if (isPreview) return PREVIEW
  throw new CommandFailure(EXIT.usage, `--reason is missing: ${when} give the reason, which is kept in the audit.`)
}
