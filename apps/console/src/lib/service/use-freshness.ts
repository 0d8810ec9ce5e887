import { useSyncExternalStore } from 'react'
import { createContact } from './contact.ts'
import type { Source } from './freshness.ts'

/** Detects whether this page is in contact with the service. */
export const contact = createContact(Date)

const inSeconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : Math.floor(ms / 1_000))

/** For how many seconds there has been no news from the service. Undefined while there is contact. */
export const useSilence = (): number | undefined => useSyncExternalStore(contact.onLook, () => inSeconds(contact.silence()))

/** For how many seconds the data of one source has not been current. Undefined while it is current. */
export const useSilenceOf = (source: Source): number | undefined =>
  useSyncExternalStore(contact.onLook, () => inSeconds(contact.silenceOfSource(source)))
