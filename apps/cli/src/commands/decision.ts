import type { Client } from '@gantt/client'
import { GANTT } from './called.ts'
import { CommandFailure, EXIT, notThere } from './failure.ts'

const KNOWN = 'query Known($id: ID!) { decision(id: $id) { id } }'

/** Asks about a decision; where that fails for want of one, it says so, and where to find those that are there. */
export async function askAbout<Answer>(client: Client, id: string, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.exitCode !== EXIT.usage || (await isKnown(client, id))) throw error
    throw unknownDecision(id)
  }
}

/** What is said of an id that is no decision's, or of none that the key may know: a wrong call, whatever the command, so that `gantt verify` keeps 1 for one that differs. */
export const unknownDecision = (id: string): CommandFailure => notThere(`there is no decision ${id}; "${GANTT} decisions" lists them`)

/** An id of something else, or of nothing, is not known either. */
const isKnown = (client: Client, id: string): Promise<boolean> =>
  client.request<{ decision: { readonly id: string } | null }>(KNOWN, { id }).then(
    ({ decision }) => decision !== null,
    (error: unknown) => {
      if (error instanceof CommandFailure && error.exitCode === EXIT.usage && /\bid is\b/.test(error.message)) return false
      throw error
    },
  )
