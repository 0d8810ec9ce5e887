import { type Fault, FaultError, ProtocolError, UnreachableError } from './errors.ts'
import type { HiddenKeys } from './hidden-keys.ts'

/** Where an answer came from: the address, and the HTTP response. */
export interface Source {
  readonly url: string
  readonly response: Pick<Response, 'status' | 'headers'>
  readonly hidden: HiddenKeys
}

/** Keys are searched in this many characters of a text before a few of them are shown, so that no part of a key is shown. */
const SHOWN = 4_096

/**
 * Parses a complete answer and returns its data, which must have these fields. Throws FaultError and ProtocolError, and UnreachableError if
 * a successful response is marked as JSON but ends in the middle.
 */
export function readAnswer<Data>(source: Source, text: string, fields: readonly string[] = []): Data {
  const { url, hidden } = source
  const { status, headers } = source.response
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    if (status < 300 && /^application\/([\w.-]+\+)?json\b/.test(headers.get('content-type') ?? ''))
      throw new UnreachableError(
        `${url} answered ${status} with only a part of an answer, which ends with ${JSON.stringify(hidden.inText(text.slice(-SHOWN)).slice(-40))}`,
      )
    const start = hidden.inText(text.slice(0, SHOWN)).slice(0, 80)
    throw refused(source, `${JSON.stringify(start)}; it must be JSON`)
  }
  return dataIn(source, answer, fields)
}

/** Returns the data of a parsed answer, which must have these fields. Throws FaultError and ProtocolError. */
export function dataIn<Data>(source: Source, answer: unknown, fields: readonly string[] = []): Data {
  const data = dataOf(source, answer)
  if (data === undefined) throw refused(source, 'neither data nor errors')
  const missing = fields.find((field) => !Object.hasOwn(data, field))
  if (missing !== undefined)
    throw refused(source, `data without the field ${missing} of the call; a GraphQL answer of the service must have it`)
  return data as Data
}

/** Returns the data of an answer or of an event, or throws its errors. Undefined if it has neither. */
export function dataOf(source: Source, answer: unknown): object | undefined {
  if (!isObject(answer)) return undefined
  const { data, errors } = answer
  const hasErrors = errors !== undefined && errors !== null && !(Array.isArray(errors) && errors.length === 0)
  if (hasErrors && !(Array.isArray(errors) && errors.every(isFault)))
    throw refused(source, 'errors that are not those of GraphQL; they must be a list of objects with a message')
  if (hasErrors) throw new FaultError(source.hidden.inValue(errors), source.response.status, retryAfterOf(source.response.headers))
  if (data === undefined || data === null) return undefined
  if (!isObject(data)) throw refused(source, 'data that is no object; it must be one')
  return data
}

const refused = ({ url, response: { status, headers } }: Source, what: string): ProtocolError =>
  new ProtocolError(`${url} answered ${status} with ${what}`, status, retryAfterOf(headers))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isAbsent = (value: unknown): boolean => value === undefined || value === null

/** True for an error of a GraphQL answer whose extensions, if it has any, are as the service has them. */
function isFault(error: unknown): error is Fault {
  if (!isObject(error) || typeof error.message !== 'string') return false
  const { extensions } = error
  if (isAbsent(extensions)) return true
  if (!isObject(extensions)) return false
  const { code, retryAfterMs, issues } = extensions
  return (
    (isAbsent(code) || typeof code === 'string') &&
    (isAbsent(retryAfterMs) || typeof retryAfterMs === 'number') &&
    (isAbsent(issues) || (Array.isArray(issues) && issues.every(isObject)))
  )
}

/**
 * Reads the header Retry-After, which has seconds or a date. Returns the delay in milliseconds. A date is compared with the header Date of
 * the same response, because the clocks of the service and of this machine can differ. Browsers hide the header Date of other origins;
 * then the date is compared with the clock of this machine.
 */
function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1_000
  const at = Date.parse(value)
  const sentAt = Date.parse(headers.get('date') ?? '')
  return Number.isNaN(at) ? undefined : Math.max(0, at - (Number.isNaN(sentAt) ? Date.now() : sentAt))
}
