import { type CollectedOnce, type CollectorSettings, InvalidSettings, type Outcome, readCollectorSettings, type Unsent } from '@gantt/agent'
import { type ConnectionFlags, toFailureOf } from '../../call/connection.ts'
import { CommandFailure, EXIT, type ExitCode } from '../../call/failure.ts'
import type { Result } from '../../output/output.ts'

/** The collectors in the file of `--collectors`; undefined if the option is not given. Fails with exit code 2 if the file is invalid. */
export function collectorsOf({ collectors }: { readonly collectors?: string }): readonly CollectorSettings[] | undefined {
  try {
    return collectors === undefined ? undefined : readCollectorSettings(collectors)
  } catch (error) {
    throw error instanceof InvalidSettings ? new CommandFailure(EXIT.usage, error.message) : error
  }
}

const about = ({ name, namespace }: CollectorSettings): string => `collector ${name} (namespace ${namespace})`

/** Adds to a preview what each collector produced. If one failed, the exit code is 1, unless the preview has another one. */
export function withCollected(preview: Result, collected: readonly CollectedOnce[]): Result {
  if (collected.length === 0) return preview
  const lines = collected.flatMap(({ settings, result }) => [
    '',
    'error' in result
      ? `${about(settings)} failed, ${result.error.code}: ${result.error.text}`
      : `${about(settings)}, version ${result.collected.version}`,
    ...('error' in result ? [] : [JSON.stringify(result.collected.document, null, 2)]),
  ])
  const json = collected.map(({ settings: { name, namespace }, result }) => ({ name, namespace, ...result }))
  return {
    ...preview,
    lines: [...preview.lines, ...lines],
    json: { ...Object(preview.json), collectors: json },
    exitCode: preview.exitCode ?? (collected.some(({ result }) => 'error' in result) ? EXIT.refused : EXIT.done),
  }
}

/**
 * States for each document, and for the states, why it could not be sent, as all commands state the error of a call. The exit code is that
 * of the first call that failed; undefined if none failed.
 */
export function shownUnsent(
  flags: ConnectionFlags,
  outcomes: readonly Outcome[],
  states: Unsent | undefined,
): { readonly outcomes: readonly Outcome[]; readonly states: string | undefined; readonly exitCode: ExitCode | undefined } {
  const failureOf = ({ cause }: Unsent): CommandFailure | undefined => {
    const failure = cause === undefined ? undefined : toFailureOf(flags, cause)
    return failure instanceof CommandFailure ? failure : undefined
  }
  const shown = (why: Unsent): Unsent => ({ ...why, text: failureOf(why)?.message ?? why.text })
  const all = [...outcomes.flatMap((one) => (one.type === 'unsent' ? [one.why] : [])), ...(states === undefined ? [] : [states])]
  const isSent = outcomes.every(({ type }) => type !== 'unsent') && states?.cause === undefined
  const [exitCode = EXIT.refused] = all.flatMap((why) => failureOf(why)?.exitCode ?? [])
  return {
    outcomes: outcomes.map((one) => (one.type === 'unsent' ? { ...one, why: shown(one.why) } : one)),
    states: states && shown(states).text,
    exitCode: isSent ? undefined : exitCode,
  }
}

/** A line about the result of a collector in one run of the agent. */
export function outcomeLine(outcome: Outcome): string {
  const who = about(outcome.settings)
  switch (outcome.type) {
    case 'sent':
      return `${who}: sent`
    case 'unsent':
      return `${who}: not sent: ${outcome.why.text}`
    case 'paused':
      return `${who}: not sent, because no profile reads the namespace`
    default:
      return `${who} failed, ${outcome.error.code}: ${outcome.error.text}`
  }
}

export const outcomeJson = ({ settings: { name, namespace }, ...outcome }: Outcome) =>
  outcome.type === 'unsent' ? { name, namespace, type: outcome.type, text: outcome.why.text } : { name, namespace, ...outcome }
