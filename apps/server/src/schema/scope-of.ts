import type { GraphQLField } from 'graphql'
import type { Scope } from '../auth/caller.ts'

/** What a root field says of who may ask for it; undefined when it says nothing. */
export const authScopesOf = ({ extensions }: Pick<GraphQLField<unknown, unknown>, 'extensions'>): unknown =>
  (extensions.pothosOptions as { readonly authScopes?: unknown } | undefined)?.authScopes

/** The scope that a root field needs; undefined where any key may ask for it. */
export function scopeOf(field: Pick<GraphQLField<unknown, unknown>, 'extensions'> | null | undefined): Scope | undefined {
  const authScopes = field ? authScopesOf(field) : undefined
  return typeof authScopes === 'object' ? (authScopes as { readonly scope?: Scope } | null)?.scope : undefined
}
