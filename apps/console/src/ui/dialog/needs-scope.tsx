import { Empty } from '../empty.tsx'

interface NeedsScopeProps {
  /** The name of the data in a sentence: "the rows of the audit". */
  readonly what: string
  readonly scope: string
  /** The scopes of the key. */
  readonly scopes: readonly string[]
}

/** The content of a page that the key may not read: the missing scope, and how to get it. */
export function NeedsScope({ what, scope, scopes }: NeedsScopeProps) {
  return (
    <Empty title="Your key lacks a scope">
      Reading {what} needs a key with {scope}; yours has {scopes.join(', ')}. A key with ADMIN can create one.
    </Empty>
  )
}
