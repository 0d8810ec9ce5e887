/** An entry of the audit in the form of the API. */
export interface AuditRow {
  readonly id: string
  readonly at: string
  readonly account: string
  readonly mutation: string
  readonly result: string
  readonly summary: string
}

/** The audit filter that finds the calls that created, edited or imported an aggregate. */
export const historyQuery = (uuid: string): string => `mutation:aggregateCreate,aggregateUpdate,aggregateImport target:${uuid}`

/** The change in an audit row. Undefined for a row that changed nothing. */
export function actionOf({ mutation, result, summary }: AuditRow): string | undefined {
  const args = readObject(summary)
  if (result !== 'AggregatePayload' || args.dryRun === true) return undefined
  if (mutation === 'aggregateCreate') return 'created the aggregate'
  if (mutation === 'aggregateImport') return 'imported the aggregate from Nova'
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
  // the audit stores only the beginning of a long value
  return said.join(', ') || 'changed the aggregate; the arguments were too long to be stored completely'
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

/** The moment before an edit, in the form of the API. */
export const momentBefore = (updatedAt: string): string => new Date(Date.parse(updatedAt) - 1).toISOString()

/** The version of the aggregate before an edit. Undefined if the call was not an edit, or if the audit row does not have the version. */
export function versionBefore({ mutation, result, summary }: AuditRow): number | undefined {
  const { ifVersion, dryRun } = readObject(summary)
  const isEdit = mutation === 'aggregateUpdate' && result === 'AggregatePayload' && dryRun !== true
  return isEdit && typeof ifVersion === 'number' ? ifVersion : undefined
}

/** The search reads at most this many states of the aggregate. */
const MAX_STEPS = 10

/**
 * Reads the aggregate as it was at `moment`, and then as it was before each earlier edit, until the state with the number `version` is
 * found. Undefined if the state is not found: at `moment` the aggregate does not exist or has an older version, there are too many edits in
 * between, or a later edit has the same millisecond.
 */
export async function findVersion<State extends { readonly version: number; readonly updatedAt: string }>(
  version: number,
  moment: string,
  read: (at: string) => Promise<State | null>,
): Promise<State | undefined> {
  let at = moment
  for (let step = 0; step < MAX_STEPS; step++) {
    const state = await read(at)
    if (state === null || state.version < version) return undefined
    if (state.version === version) return state
    at = momentBefore(state.updatedAt)
  }
  return undefined
}
