import { graphql } from '@gantt/client'
import type { ServiceClient } from '../../call/connection.ts'
import { CommandFailure, EXIT, notFound } from '../../call/failure.ts'
import { GANTT } from '../../output/called.ts'

const KNOWN = graphql(`query Known($id: ID!) { decision(id: $id) { id } }`)

/** Runs a call about a decision. If the call fails and the decision does not exist, throws the failure of `unknownDecision`. */
export async function askAbout<Answer>(client: ServiceClient, id: string, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.exitCode !== EXIT.usage || (await isKnown(client, id))) throw error
    throw unknownDecision(id)
  }
}

/**
 * The failure for a decision that is unknown or that the key may not read. Every command exits with 2 (wrong call) in this case, because 1
 * means a difference in `gantt verify`.
 */
export const unknownDecision = (id: string): CommandFailure => notFound(`there is no decision ${id}; "${GANTT} decisions" lists them`)

/** True if the decision exists. An invalid id, or the id of an object of another type, is treated as unknown. */
const isKnown = (client: ServiceClient, id: string): Promise<boolean> =>
  client.request(KNOWN, { id }).then(
    ({ decision }) => decision !== null,
    (error: unknown) => {
      if (error instanceof CommandFailure && error.exitCode === EXIT.usage && /\bid is\b/.test(error.message)) return false
      throw error
    },
  )
