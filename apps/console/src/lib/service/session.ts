import { useSyncExternalStore } from 'react'

/** Why nobody is signed in, if there is a reason to show. */
export type SignedOutReason = 'signed-out' | 'unknown-key'

export interface Session {
  readonly key: string | undefined
  readonly reason: SignedOutReason | undefined
}

const STORED = 'gantt.key'
/** Marks a stored key that the service no longer accepts: other tabs request a new one, and keep their state. */
const UNKNOWN = ''
const listeners = new Set<() => void>()
let session: Session = { key: takeKeyFromAddress() ?? storedKey(), reason: undefined }

/** The session of the signed-in user, as a hook. */
export const useSession = (): Session => useSyncExternalStore(followSession, currentSession)

export const currentSession = (): Session => session

/** Signs in with a key; with `keep` also for later visits and other tabs, otherwise only for this tab. */
export function signIn(key: string, keep: boolean): void {
  storage(false)?.removeItem(STORED)
  storage(keep)?.setItem(STORED, key)
  change({ key, reason: undefined })
}

/** Signs out in every tab with the key: to the sign-in page, or for a key that is no longer valid, to a dialog over the page. */
export function signOut(reason: SignedOutReason = 'signed-out'): void {
  const kept = storage(true)
  storage(false)?.removeItem(STORED)
  if (reason === 'signed-out') kept?.removeItem(STORED)
  else if (kept?.getItem(STORED) === session.key) kept?.setItem(STORED, UNKNOWN)
  change({ key: undefined, reason })
}

/** Calls back after each change; returns a function that ends this. */
export function followSession(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

// a change of the shared key by another tab
addEventListener('storage', ({ key, newValue, storageArea }) => {
  // a key of null: everything was removed
  if ((key !== STORED && key !== null) || storageArea !== storage(true) || storage(false)?.getItem(STORED)) return
  if (newValue === null) change({ key: undefined, reason: 'signed-out' })
  else if (newValue !== UNKNOWN) change({ key: newValue, reason: undefined })
  else if (session.key !== undefined) change({ key: undefined, reason: 'unknown-key' })
})

// a link with a key that is opened in a tab with the console
addEventListener('hashchange', () => {
  const key = takeKeyFromAddress()
  if (key !== undefined) change({ key, reason: undefined })
})

function change(next: Session): void {
  session = next
  for (const listener of listeners) listener()
}

/** A link may contain a key after `#key=`, which is never sent to a server, and is removed from the address bar at once. */
function takeKeyFromAddress(): string | undefined {
  const key = new URLSearchParams(location.hash.slice(1)).get('key')
  if (key === null || key === '') return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  storage(false)?.removeItem(STORED)
  storage(true)?.setItem(STORED, key)
  return key
}

function storedKey(): string | undefined {
  return storage(false)?.getItem(STORED) || storage(true)?.getItem(STORED) || undefined
}

/** Browsers may refuse storage; then a key is kept only until the page is closed. */
function storage(keep: boolean): Storage | undefined {
  try {
    return keep ? localStorage : sessionStorage
  } catch {
    return undefined
  }
}
