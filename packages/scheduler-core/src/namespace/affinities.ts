import type { RequestSpec } from '../request/request-spec.ts'
import { portAffinity } from './port-affinity.ts'
import { volumeAffinity } from './volume-affinity.ts'

/** The scheduler hints that name things of other services; whoever asks for one asks how old documents are. */
const hints: readonly string[] = [volumeAffinity.hint, portAffinity.hint]

/** Whether a decision about the request depends on what time it is: on a log in which nothing happened, nothing has grown old. */
export const asksAges = ({ schedulerHints }: RequestSpec): boolean => hints.some((hint) => (schedulerHints[hint] ?? []).length > 0)
