/** The course of a profile: the active version, and the version in a rollout. */
export interface Course {
  readonly active: { readonly number: number }
  readonly rollout: {
    readonly mode: string
    readonly percent: number
    readonly candidate: { readonly number: number }
  } | null
}

/** A step that an operator can take with a version or, for a rollback, with a profile. */
export type Step = 'shadow' | 'canary' | 'activate' | 'rollback'

/**
 * The steps that an operator can take with a version. Rollback is not one of them, because it is a step of the profile and not of a
 * version.
 */
export function stepsFor(number: number, { active, rollout }: Course): readonly Exclude<Step, 'rollback'>[] {
  if (number === active.number) return []
  const isShadow = rollout?.mode === 'SHADOW' && rollout.candidate.number === number
  return isShadow ? ['canary', 'activate'] : ['shadow', 'canary', 'activate']
}

/** The effects of a step, as sentences. For a rollback, `number` is the version that decides after the rollback. */
export function effectsOf(step: Step, name: string, number: number, percent: number, course: Course): readonly string[] {
  const ref = `${name}@${number}`
  const active = `${name}@${course.active.number}`
  const { rollout } = course
  const tried = rollout === null ? undefined : `${name}@${rollout.candidate.number}`
  const trial = rollout === null ? '' : rollout.mode === 'SHADOW' ? 'shadow' : `canary of ${rollout.percent} %`
  const isOther = rollout !== null && rollout.candidate.number !== number
  const ends = isOther ? [`The ${trial} of ${tried} ends.`] : []
  switch (step) {
    case 'shadow':
      return [
        `${ref} runs in parallel with ${active}: it decides the same calls on the same states, and is compared with it. It claims nothing, so no placement changes.`,
        ...(isOther
          ? ends
          : rollout?.mode === 'CANARY'
            ? [`The canary of ${ref} with ${rollout.percent} % ends: ${active} decides all calls again.`]
            : []),
      ]
    case 'canary':
      return [
        `${ref} decides ${percent} % of the calls that name no version, always the same ones; ${active} decides the others.`,
        ...(isOther ? ends : rollout?.mode === 'CANARY' ? [`At present ${ref} decides ${rollout.percent} %.`] : []),
      ]
    case 'activate':
      return [
        `From now on, ${ref} decides every call that names no version. ${active}, which decides now, is retired; a rollback activates it again.`,
        ...(isOther ? ends : rollout === null ? [] : [`The ${trial} of ${ref} ends.`]),
      ]
    case 'rollback':
      return tried === undefined
        ? [`${ref} decides again. ${active}, which decides now, is marked as rolled back.`]
        : [
            `The ${trial} of ${tried} ends, and it is marked as rolled back. ${active} continues and decides every call that names no version.`,
          ]
  }
}

/** Sentences about the active version and the version in a rollout. */
export function summaryOf({ active, rollout }: Course, name: string): string {
  if (rollout === null) return `${name}@${active.number} decides all calls. No rollout.`
  const ref = `${name}@${rollout.candidate.number}`
  if (rollout.mode === 'CANARY')
    return `${ref} is a canary and decides ${rollout.percent} % of the calls; ${name}@${active.number} decides the others.`
  const share = rollout.percent === 100 ? '' : ` ${rollout.percent} % of`
  return `${name}@${active.number} decides all calls. ${ref} is its shadow: it decides${share} them again, and claims nothing.`
}

/** Why a percentage is invalid for a canary. Undefined if it is valid. */
export function wrongPercent(text: string): string | undefined {
  const percent = Number(text)
  const isFine = text.trim() !== '' && percent >= 0.01 && percent <= 100 && Math.abs(Math.round(percent * 100) - percent * 100) < 1e-6
  return isFine ? undefined : '0.01 to 100, with two decimals at most'
}

/** An entry of the audit in the form of the API. */
export interface AuditRow {
  readonly id: string
  readonly at: string
  readonly account: string
  readonly mutation: string
  readonly target: string
  readonly result: string
  readonly summary: string
}

/** The audit filter that finds the calls about a profile. */
export const historyQuery = (name: string): string =>
  `mutation:profileVersionCreate,profileActivate,profileRollback target:${name},${name}@*`

/** The change of the profile that an audit row is about. Undefined for a row that changed nothing. */
export function actionOf({ mutation, target, result, summary }: AuditRow): string | undefined {
  const { dryRun, rollout, reason } = readSummary(summary)
  if (dryRun === true || result !== 'ProfilePayload') return undefined
  if (mutation === 'profileRollback') return `rolled back${typeof reason === 'string' ? `: ${reason}` : ''}`
  if (mutation === 'profileVersionCreate') return 'created the next version'
  if (typeof rollout !== 'object' || rollout === null) return `activated ${target}`
  const { mode, percent } = rollout as { readonly mode?: unknown; readonly percent?: unknown }
  if (mode === 'CANARY') return `made ${target} a canary of ${String(percent)} %`
  return `made ${target} a shadow${typeof percent === 'number' && percent !== 100 ? ` for ${percent} %` : ''}`
}

/** Parses the arguments in an audit row. Empty if the audit stored only a part of them. */
function readSummary(summary: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(summary)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

export const NO_OPTIONS = '–'

/** The options of a filter or weigher, or the assignment rules, as text. */
export const optionsText = (options: unknown): string =>
  typeof options !== 'object' || options === null || Object.keys(options).length === 0
    ? NO_OPTIONS
    : Object.entries(options)
        .map(([name, value]) => `${name} = ${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join('; ')
