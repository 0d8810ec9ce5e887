/** An entry of the audit as the API has it. */
export interface AuditRow {
  readonly id: string
  readonly at: string
  readonly account: string
  readonly mutation: string
  readonly result: string
  readonly summary: string
}

/** The line of the audit's grammar that finds what was done with an aggregate. */
export const historyQuery = (uuid: string): string => `mutation:aggregateCreate,aggregateUpdate,aggregateImport target:${uuid}`

/** What somebody changed; undefined for what changed nothing. */
export function actionOf({ mutation, result, summary }: AuditRow): string | undefined {
  const args = readObject(summary)
  if (result !== 'AggregatePayload' || args.dryRun === true) return undefined
  if (mutation === 'aggregateCreate') return 'created it'
  if (mutation === 'aggregateImport') return 'imported it from Nova'
  const { name, availabilityZone, setMetadata, unsetMetadata, addHosts, removeHosts } = (args.input ?? {}) as Readonly<
    Record<string, unknown>
  >
  const said = [
    ...(typeof name === 'string' ? [`name: ${name}`] : []),
    ...(typeof availabilityZone === 'string' ? [`zone: ${availabilityZone}`] : []),
    ...words(unsetMetadata).map((key) => `- ${key}`),
    ...pairs(setMetadata).map((pair) => `+ ${pair}`),
    ...words(removeHosts).map((host) => `- host ${host}`),
    ...words(addHosts).map((host) => `+ host ${host}`),
  ]
  // what is long is kept as its beginning alone
  return said.join(', ') || 'changed it; the arguments were too long to keep whole'
}

const words = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [])

const pairs = (value: unknown): string[] =>
  (Array.isArray(value) ? (value as unknown[]) : []).flatMap((one) => {
    const { key, value: text } = readMembers(one)
    return typeof key === 'string' ? [`${key}=${String(text)}`] : []
  })

function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return readMembers(JSON.parse(text))
  } catch {
    return {}
  }
}

const readMembers = (value: unknown): Readonly<Record<string, unknown>> => (typeof value === 'object' && value !== null ? { ...value } : {})

/** The moment before an edit, as the API takes it. */
export const momentBefore = (updatedAt: string): string => new Date(Date.parse(updatedAt) - 1).toISOString()

/** The version that an edit was made from; undefined for what was no edit, or where the audit did not keep it. */
export function versionBefore({ mutation, result, summary }: AuditRow): number | undefined {
  const { ifVersion, dryRun } = readObject(summary)
  const isEdit = mutation === 'aggregateUpdate' && result === 'AggregatePayload' && dryRun !== true
  return isEdit && typeof ifVersion === 'number' ? ifVersion : undefined
}

/** Edits that may lie between the moment that is known and the version that is looked for. */
const MOST_STEPS = 10

/**
 * The state of a version, by the moments of the log: from one that is not before its end, step by step backwards. Undefined where they do
 * not distinguish it, as two edits of one millisecond.
 */
export async function findVersion<State extends { readonly version: number; readonly updatedAt: string }>(
  version: number,
  moment: string,
  read: (at: string) => Promise<State | null>,
): Promise<State | undefined> {
  let at = moment
  for (let step = 0; step < MOST_STEPS; step++) {
    const state = await read(at)
    if (state === null || state.version < version) return undefined
    if (state.version === version) return state
    at = momentBefore(state.updatedAt)
  }
  return undefined
}
