import { graphql } from '@gantt/client'
import type { ServiceClient } from '../../call/connection.ts'
import { CommandFailure, EXIT, notThere } from '../../call/failure.ts'
import { GANTT } from '../../output/called.ts'

const KNOWN = graphql(`query Known($id: ID!) { decision(id: $id) { id } }`)

/** Makes a call about a decision; if there is none, the error says so and how to list decisions. */
export async function askAbout<Answer>(client: ServiceClient, id: string, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.exitCode !== EXIT.usage || (await isKnown(client, id))) throw error
    throw unknownDecision(id)
  }
}

/** The failure for an id of no decision, or of one that the key may not read. It is a wrong call (2) for every command, so that 1 of `gantt verify` means a difference. */
export const unknownDecision = (id: string): CommandFailure => notThere(`there is no decision ${id}; "${GANTT} decisions" lists them`)

/** The id of something else, or an invalid one, is not known either. */
const isKnown = (client: ServiceClient, id: string): Promise<boolean> =>
  client.request(KNOWN, { id }).then(
    ({ decision }) => decision !== null,
    (error: unknown) => {
      if (error instanceof CommandFailure && error.exitCode === EXIT.usage && /\bid is\b/.test(error.message)) return false
      throw error
    },
  )
