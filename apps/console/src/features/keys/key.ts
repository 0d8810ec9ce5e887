import type { ResultOf } from '../../lib/service/graphql.ts'
import type { CREATE, LIST } from './documents.ts'

export type Key = ResultOf<typeof LIST>['apiKeys']['nodes'][number]
export type KeyResult = ResultOf<typeof CREATE>['apiKeyCreate']
export type Made = Extract<KeyResult, { readonly __typename: 'ApiKeyPayload' }>

/** What each scope allows, in a few words. docs/keys.md describes all permissions. */
export const roles = [
  { scope: 'READ', does: 'Every query and stream except keys and the audit. Needed for this console.' },
  { scope: 'SCHEDULE', does: 'Places instances and claims their resources.' },
  { scope: 'REPORT', does: 'Sends reports of hosts; may be restricted to certain hosts.' },
  { scope: 'CLAIM', does: 'Confirms, extends and releases claims.' },
  { scope: 'OPERATE', does: 'Enables and disables hosts, edits aggregates and groups, revokes claims, reads the audit.' },
  { scope: 'ADMIN', does: 'Everything; creates and revokes keys, activates profiles.' },
] as const

export type ScopeName = (typeof roles)[number]['scope']

/** Parses the days until a key expires. Null means never. `wrong` is the reason why the text is invalid. */
export function readDays(text: string): { readonly days: number | null } | { readonly wrong: string } {
  if (text.trim() === '') return { days: null }
  const days = Number(text)
  return Number.isInteger(days) && days >= 1 && days <= 3_650 ? { days } : { wrong: 'whole days, 1 to 3650; empty: it never ends' }
}

/**
 * Parses how many nodes each host of a key may have. An empty text becomes null, which means 1. `wrong` is the reason why the text is
 * invalid.
 */
export function readMaxNodes(text: string): { readonly maxNodes: number | null } | { readonly wrong: string } {
  if (text.trim() === '') return { maxNodes: null }
  const maxNodes = Number(text)
  return Number.isInteger(maxNodes) && maxNodes >= 1 && maxNodes <= 10_000
    ? { maxNodes }
    : { wrong: 'a whole number, 1 to 10000; empty: 1' }
}

const DAY_MS = 86_400_000

/** The expiry of a new key, in the form of the API. */
export const endOf = (days: number | null, nowMs: number): string | null =>
  days === null ? null : new Date(nowMs + days * DAY_MS).toISOString()

/** True if the key was used within the last day. Revoking such a key probably locks somebody out. */
export const isInUse = ({ lastUsedAt }: Pick<Key, 'lastUsedAt'>, nowMs: number): boolean =>
  lastUsedAt !== null && nowMs - Date.parse(lastUsedAt) < DAY_MS

/** The reasons of a refusal, one sentence each. */
export const refusalOf = (answer: Exclude<KeyResult, Made>): readonly string[] =>
  answer.__typename === 'ValidationError' && answer.issues.length > 0 ? answer.issues.map(({ message }) => message) : [answer.message]
