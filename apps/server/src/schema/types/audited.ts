import { createHash, randomUUID } from 'node:crypto'
import { canonicalJson } from '@gantt/scheduler-core'
import {
  defaultFieldResolver,
  GraphQLError,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
} from 'graphql'
import type { AuditEntry } from '../../services/audit/audit.ts'
import { AuditDelayed, isStoreUnavailable } from '../../services/audit/audit.ts'
import type { Context } from '../context.ts'
import { fault } from './faults.ts'
import { MAX_ID_LENGTH } from './ids.ts'

/** Frequent mutations. Their audit entries are written after the answer. */
const hot: ReadonlySet<string> = new Set(['selectDestinations', 'updateResourceStats'])

/** Records every mutation in the audit, whether it succeeds or fails. A new mutation is included without additional code. */
export function auditMutations(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) audit(field as GraphQLField<unknown, Context>)
}

const FULL = 'Nothing was changed: too many audit entries wait for the database, and every change must be recorded in the audit.'

function audit(field: GraphQLField<unknown, Context>): void {
  const resolve = field.resolve ?? defaultFieldResolver
  field.resolve = async (root, args: Record<string, unknown>, context, info) => {
    const entryOf = (result: string, value?: unknown): AuditEntry => {
      const { caller, requestId } = context
      return {
        id: randomUUID(),
        at: Date.now(),
        account: caller.account,
        keyId: caller.keyId,
        mutation: field.name,
        target: targetOf(args, value),
        summary: summaryOf(args),
        result,
        requestId,
      }
    }
    const record = (entry: AuditEntry): Promise<void> => (hot.has(field.name) ? context.audit.follow(entry) : context.audit.keep(entry))
    if (!context.audit.takesMore()) throw fault('UNAVAILABLE', FULL, { retryAfterMs: 5_000 })
    let value: unknown
    try {
      value = await resolve(root, args, context, info)
    } catch (error) {
      const entry = entryOf(faultCode(error))
      // if the store is unavailable, the caller gets the error without waiting for the audit entry
      if (isStoreUnavailable(error)) context.audit.offer(entry)
      // if writing the audit entry fails too, the caller nevertheless gets the error of the mutation
      else await record(entry).catch(() => {})
      throw error
    }
    await record(entryOf(await endOf(field.type, value, context, info), value)).catch((error: unknown) => {
      if (!(error instanceof AuditDelayed)) throw error
      throw fault('UNAVAILABLE', 'The change was made; its entry in the audit waits for the database.', { retryAfterMs: 1_000 })
    })
    return value
  }
}

function faultCode(error: unknown): string {
  const code = error instanceof GraphQLError ? error.extensions.code : undefined
  if (typeof code === 'string') return code
  return error instanceof Error && error.name !== 'Error' ? error.name : 'INTERNAL'
}

/** The type of an answer. If the answer is a list: the types of its items, each with its count. */
async function endOf(type: GraphQLOutputType, value: unknown, context: Context, info: GraphQLResolveInfo): Promise<string> {
  const named = getNamedType(type)
  const typeOf = async (one: unknown): Promise<string> =>
    isAbstractType(named) ? String(await named.resolveType?.(one, context, info, named)) : named.name
  // if a payload contains the results of many reports, the results of each type are counted
  const results = (value as { readonly results?: unknown } | null)?.results
  if (Array.isArray(results)) return tally(results.map((one) => String((one as { readonly type?: unknown }).type ?? '')))
  return Array.isArray(value) ? tally(await Promise.all(value.map(typeOf))) : typeOf(value)
}

function tally(names: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([name, count]) => (count === 1 && counts.size === 1 ? name : `${name} x${count}`)).join(', ') || 'nothing'
}

const MAX_SUMMARY = 2_000
const MAX_TEXT = 200
const MAX_ITEMS = 20
const MAX_KEYS = 100
const MAX_DEPTH = 8
/** At most this many values are read for one summary, because the work does not yield. */
const MAX_VALUES = 2_000

/**
 * Fields that contain documents of callers, some with the field that contains them. They are omitted, because such a document can have any
 * content and any size.
 */
const leftOut: ReadonlySet<string> = new Set(['full', 'delta', 'document', 'legacy', 'profileChanges', 'report.nova', 'spec.nova'])

/** The arguments as short text, without values that can be secret. */
export function summaryOf(args: unknown): string {
  const text = canonicalJson(inShort(args, '', 0, { values: MAX_VALUES }))
  if (text.length <= MAX_SUMMARY) return text
  return canonicalJson({ begins: clean(text.slice(0, MAX_SUMMARY)), sha256: createHash('sha256').update(text).digest('hex') })
}

/** A value with its first items and keys. `field` is the field that contains the value, and `left` counts down the values to read. */
function inShort(value: unknown, field: string, depth: number, left: { values: number }): unknown {
  if (--left.values < 0) return '...'
  if (typeof value === 'string') return shortText(value)
  if (value === null || typeof value !== 'object') return value
  if (depth >= MAX_DEPTH) return '...'
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => inShort(item, field, depth + 1, left))
    return value.length > MAX_ITEMS ? [...items, `... ${value.length - MAX_ITEMS} more`] : items
  }
  const keys = Object.keys(value)
  const members: Record<string, unknown> = {}
  for (let i = 0; i < keys.length && i < MAX_KEYS; i++) {
    const key = keys[i] as string
    const member = (value as Readonly<Record<string, unknown>>)[key]
    if (member === null || member === undefined) continue
    const isLeftOut = leftOut.has(key) || leftOut.has(`${field}.${key}`)
    setMember(members, shortText(key), isLeftOut ? '...' : inShort(member, key, depth + 1, left))
  }
  if (keys.length > MAX_KEYS) members['...'] = `${keys.length - MAX_KEYS} more`
  return members
}

/** Sets a member of any name. Assigning to `__proto__` would set the prototype instead. */
function setMember(members: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true })
  else members[name] = value
}

/** Short texts of only these characters are shown as they are. They contain no API key, because each of its keys contains `_`. */
const PLAIN = /^[ -^`-~]{0,64}$/

/** Shortens a text, and masks the service's own API keys, which are recognised by their form. */
const shortText = (text: string): string => {
  if (PLAIN.test(text)) return text
  const shown = clean(text.slice(0, MAX_TEXT + 64)).replace(/gantt_[A-Za-z0-9_-]{16,}/g, 'gantt_...')
  return shown.length > MAX_TEXT ? `${shown.slice(0, MAX_TEXT)}...` : shown
}

/**
 * Replaces control characters and halves of surrogate pairs, because the database can refuse them. A call with such characters is refused,
 * but the audit must record it.
 */
const clean = (text: string): string => text.replace(/[\p{Cc}\p{Cs}]/gu, '\uFFFD')

/** At most this many objects of a call are named as its target. */
const MAX_NAMED = 5

/**
 * The target of a mutation: the object in the answer or, without one, the object that the arguments name. Of a long list, only the objects
 * that are named are read.
 */
export function targetOf(args: Record<string, unknown>, value: unknown): string {
  const input = (args.input ?? {}) as Record<string, unknown>
  const made = (value ?? {}) as { readonly key?: unknown; readonly aggregate?: unknown; readonly decision?: unknown }
  const candidates: readonly unknown[] = [
    ...[args.id, args.ids, args.uuid, args.version, args.claims, args.hosts, args.idempotencyKey],
    ...[made.key, made.aggregate, made.decision],
    ...[input.host, input.updates, input.claims, input.decisionId, input.name, input.idempotencyKey, args.profile],
  ]
  for (const candidate of candidates) {
    const things: readonly unknown[] = Array.isArray(candidate) ? candidate : [candidate]
    const names = things
      .slice(0, MAX_NAMED)
      .map(nameOf)
      .filter((name) => name !== '')
    if (names.length === 0) continue
    const shown = names.map((name) => name.slice(0, MAX_TEXT + 64)).join(', ')
    return shortText(things.length > MAX_NAMED ? `${shown} and ${things.length - MAX_NAMED} more` : shown)
  }
  return '-'
}

/** A text, or the host of an object, or otherwise the id, UUID or name of the object, in this order. Empty if there is none. */
function nameOf(thing: unknown): string {
  if (typeof thing === 'string') return readable(thing)
  if (thing === null || typeof thing !== 'object') return ''
  const { id, uuid, host, node, name } = thing as Record<string, unknown>
  if (typeof host === 'string') return typeof node === 'string' && node !== host ? `${host}/${node}` : host
  return [id, uuid, name].map(nameOf).find((found) => found !== '') ?? ''
}

/** Converts a global id to the plain id that logs contain. Returns any other text unchanged. */
function readable(text: string): string {
  if (text.length > MAX_ID_LENGTH) return text
  const inside = /^[A-Za-z0-9_-]{12,}$/.test(text) ? Buffer.from(text, 'base64url').toString('utf8') : ''
  return /^[A-Za-z]+:[\x20-\x7e]+$/.test(inside) ? inside.slice(inside.indexOf(':') + 1) : text
}
