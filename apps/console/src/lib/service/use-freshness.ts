import { useSyncExternalStore } from 'react'
import { createContact } from './contact.ts'
import type { Source } from './freshness.ts'

/** The state of contact between this page and the service. */
export const contact = createContact(Date)

const inSeconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : Math.floor(ms / 1_000))

/** The number of seconds without news from the service; undefined while there is contact. */
export const useSilence = (): number | undefined => useSyncExternalStore(contact.onLook, () => inSeconds(contact.silence()))

/** The number of seconds without news of one source; undefined while it is current. */
export const useSilenceOf = (source: Source): number | undefined =>
  useSyncExternalStore(contact.onLook, () => inSeconds(contact.silenceOfSource(source)))
