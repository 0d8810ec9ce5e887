import { Empty } from './empty.tsx'

interface NeedsScopeProps {
  /** What it is about, within a sentence: "the rows of the audit". */
  readonly what: string
  readonly scope: string
  /** What the key has. */
  readonly scopes: readonly string[]
}

/** A page that the key may not read: which scope is missing, and how one gets it. */
export function NeedsScope({ what, scope, scopes }: NeedsScopeProps) {
  return (
    <Empty title="Your key lacks a scope">
      Reading {what} needs a key with {scope}; yours has {scopes.join(', ')}. A key with ADMIN can create one.
    </Empty>
  )
}
