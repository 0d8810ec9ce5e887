import type { GraphQLField } from 'graphql'
import type { Scope } from '../../auth/caller.ts'

/** The authorisation rule (`authScopes`) of a root field; undefined if the field has no rule. */
export const authScopesOf = ({ extensions }: Pick<GraphQLField<unknown, unknown>, 'extensions'>): unknown =>
  (extensions.pothosOptions as { readonly authScopes?: unknown } | undefined)?.authScopes

/** The scope that a root field needs; undefined if the field needs no particular scope. */
export function scopeOf(field: Pick<GraphQLField<unknown, unknown>, 'extensions'> | null | undefined): Scope | undefined {
  const authScopes = field ? authScopesOf(field) : undefined
  return typeof authScopes === 'object' ? (authScopes as { readonly scope?: Scope } | null)?.scope : undefined
}
