import { useSyncExternalStore } from 'react'

/** Why nobody is signed in: the user has signed out, or the service does not accept the key. */
export type SignedOutReason = 'signed-out' | 'unknown-key'

export interface Session {
  readonly key: string | undefined
  readonly reason: SignedOutReason | undefined
}

const STORED = 'gantt.key'
/** This value is stored in place of a key that the service no longer accepts. Other tabs then request a new key and stay on their pages. */
const UNKNOWN = ''
const listeners = new Set<() => void>()
let session: Session = { key: takeKeyFromAddress() ?? storedKey(), reason: undefined }

/** A hook that returns the present session. */
export const useSession = (): Session => useSyncExternalStore(followSession, currentSession)

export const currentSession = (): Session => session

/** Signs in with a key. With `keep` the key is also stored for later visits and other tabs, otherwise only for this tab. */
export function signIn(key: string, keep: boolean): void {
  storage(false)?.removeItem(STORED)
  storage(keep)?.setItem(STORED, key)
  change({ key, reason: undefined })
}

/**
 * Signs out in every tab that uses the key. The tabs then show the sign-in page. If the reason is an invalid key, they show a dialog over
 * the page instead.
 */
export function signOut(reason: SignedOutReason = 'signed-out'): void {
  const kept = storage(true)
  storage(false)?.removeItem(STORED)
  if (reason === 'signed-out') kept?.removeItem(STORED)
  else if (kept?.getItem(STORED) === session.key) kept?.setItem(STORED, UNKNOWN)
  change({ key: undefined, reason })
}

/** Calls the listener after each change of the session. Returns a function that removes the listener. */
export function followSession(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

// another tab changed the shared key
addEventListener('storage', ({ key, newValue, storageArea }) => {
  // a key of null means that the whole storage was cleared
  if ((key !== STORED && key !== null) || storageArea !== storage(true) || storage(false)?.getItem(STORED)) return
  if (newValue === null) change({ key: undefined, reason: 'signed-out' })
  else if (newValue !== UNKNOWN) change({ key: newValue, reason: undefined })
  else if (session.key !== undefined) change({ key: undefined, reason: 'unknown-key' })
})

// a link with a key was opened in a tab with the console
addEventListener('hashchange', () => {
  const key = takeKeyFromAddress()
  if (key !== undefined) change({ key, reason: undefined })
})

function change(next: Session): void {
  session = next
  for (const listener of listeners) listener()
}

/** Takes the key from a link with `#key=`. This part of a link is never sent to a server, and is removed from the address bar at once. */
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

/**
 * The storage for the key: that of the browser or, without `keep`, that of this tab. Undefined if the browser refuses access to its
 * storage. The key is then lost when the page is closed.
 */
function storage(keep: boolean): Storage | undefined {
  try {
    return keep ? localStorage : sessionStorage
  } catch {
    return undefined
  }
}
