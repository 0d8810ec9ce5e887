import { type CollectedOnce, type CollectorSettings, InvalidSettings, type Outcome, readCollectorSettings } from '@gantt/agent'
import { CommandFailure, EXIT } from '../../call/failure.ts'
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

/** Adds to a preview what each collector produced. If one failed, the exit code is 1. */
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
    exitCode: collected.some(({ result }) => 'error' in result) ? EXIT.refused : EXIT.done,
  }
}

/** A line about what became of a collector in one run of the agent. */
export function outcomeLine(outcome: Outcome): string {
  const who = about(outcome.settings)
  switch (outcome.type) {
    case 'sent':
      return `${who}: sent`
    case 'paused':
      return `${who}: not sent, because no profile reads the namespace`
    default:
      return `${who} failed, ${outcome.error.code}: ${outcome.error.text}`
  }
}

export const outcomeJson = ({ settings: { name, namespace }, ...outcome }: Outcome) => ({ name, namespace, ...outcome })
