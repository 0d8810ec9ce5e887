import { useSyncExternalStore } from 'react'

/** Why nobody is signed in, where there is a reason worth reporting. */
export type SignedOutReason = 'signed-out' | 'unknown-key'

export interface Session {
  readonly key: string | undefined
  readonly reason: SignedOutReason | undefined
}

const STORED = 'gantt.key'
/** Stands for a kept key that the service does not know any more: other tabs ask for a new one, and lose nothing. */
const UNKNOWN = ''
const listeners = new Set<() => void>()
let session: Session = { key: takeKeyFromAddress() ?? storedKey(), reason: undefined }

/** Who is signed in; components follow it. */
export const useSession = (): Session => useSyncExternalStore(followSession, currentSession)

export const currentSession = (): Session => session

/** Takes a key; `keep`: for later visits and other tabs too, else for this tab only. */
export function signIn(key: string, keep: boolean): void {
  storage(false)?.removeItem(STORED)
  storage(keep)?.setItem(STORED, key)
  change({ key, reason: undefined })
}

/** In every tab that has the key: signed out in front of the door, with a key that is not known any more over the page as it is. */
export function signOut(reason: SignedOutReason = 'signed-out'): void {
  const kept = storage(true)
  storage(false)?.removeItem(STORED)
  if (reason === 'signed-out') kept?.removeItem(STORED)
  else if (kept?.getItem(STORED) === session.key) kept?.setItem(STORED, UNKNOWN)
  change({ key: undefined, reason })
}

/** Calls after each change; answers how to end that. */
export function followSession(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

// what another tab does with the key that all tabs share
addEventListener('storage', ({ key, newValue, storageArea }) => {
  // a key of null: everything was removed
  if ((key !== STORED && key !== null) || storageArea !== storage(true) || storage(false)?.getItem(STORED)) return
  if (newValue === null) change({ key: undefined, reason: 'signed-out' })
  else if (newValue !== UNKNOWN) change({ key: newValue, reason: undefined })
  else if (session.key !== undefined) change({ key: undefined, reason: 'unknown-key' })
})

// a link with a key that is opened where the console is already
addEventListener('hashchange', () => {
  const key = takeKeyFromAddress()
  if (key !== undefined) change({ key, reason: undefined })
})

function change(next: Session): void {
  session = next
  for (const listener of listeners) listener()
}

/** A link may carry a key behind `#key=`: it never reaches a server or a log, and leaves the address bar at once. */
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

/** Browsers may refuse storage altogether; then a key lives as long as the page. */
function storage(keep: boolean): Storage | undefined {
  try {
    return keep ? localStorage : sessionStorage
  } catch {
    return undefined
  }
}
