import { useSyncExternalStore } from 'react'

/** Why nobody is signed in, where there is a reason worth telling. */
export type SignedOutReason = 'signed-out' | 'unknown-key'

export interface Session {
  readonly key: string | undefined
  readonly reason: SignedOutReason | undefined
}

const STORED = 'gantt.key'
const listeners = new Set<() => void>()
let session: Session = { key: takeKeyFromAddress() ?? storedKey(), reason: undefined }

/** Who is signed in; components follow it. */
export const useSession = (): Session => useSyncExternalStore(subscribe, currentSession)

export const currentSession = (): Session => session

/** Takes a key; `keep`: for later visits and other tabs too, else for this tab only. */
export function signIn(key: string, keep: boolean): void {
  forget()
  storage(keep)?.setItem(STORED, key)
  change({ key, reason: undefined })
}

export function signOut(reason: SignedOutReason = 'signed-out'): void {
  forget()
  change({ key: undefined, reason })
}

function change(next: Session): void {
  session = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** A link may carry a key behind `#key=`: it never reaches a server or a log, and leaves the address bar at once. */
function takeKeyFromAddress(): string | undefined {
  const key = new URLSearchParams(location.hash.slice(1)).get('key')
  if (key === null || key === '') return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  storage(true)?.setItem(STORED, key)
  return key
}

function storedKey(): string | undefined {
  return storage(false)?.getItem(STORED) ?? storage(true)?.getItem(STORED) ?? undefined
}

function forget(): void {
  storage(false)?.removeItem(STORED)
  storage(true)?.removeItem(STORED)
}

/** Browsers may refuse storage altogether; then a key lives as long as the page. */
function storage(keep: boolean): Storage | undefined {
  try {
    return keep ? localStorage : sessionStorage
  } catch {
    return undefined
  }
}
