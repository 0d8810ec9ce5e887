import { Empty } from '../empty.tsx'

interface NeedsScopeProps {
  /** The name of the data within a sentence, such as "the rows of the audit". */
  readonly what: string
  readonly scope: string
  /** The scopes of the key. */
  readonly scopes: readonly string[]
}

/** Shown instead of content that the key may not read. It names the missing scope and explains how to get it. */
export function NeedsScope({ what, scope, scopes }: NeedsScopeProps) {
  return (
    <Empty title="Your key lacks a scope">
      Reading {what} needs a key with {scope}; yours has {scopes.join(', ')}. A key with ADMIN can create one.
    </Empty>
  )
}
