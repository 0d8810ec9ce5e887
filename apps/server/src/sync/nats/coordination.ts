import { nuid } from '@nats-io/transport-node'
import type { Timers } from '../../timers.ts'
import { StoreUnavailableError } from '../synchronizer.ts'
import type { Connection } from './connection.ts'
import { stampMs, stampOf } from './entry-message.ts'
import { coordinationSettings, ensureCoordination, type Names } from './stream-settings.ts'
import { createToken, type HeldToken } from './token.ts'

/** State for coordination among replicas: the turn, the writer of checkpoints, the servers' clock. It may be lost at any time. */
export interface Coordination {
  /** Waits up to TURN_WAIT_MS for this replica's turn, and continues without it after that. */
  takeTurn(): Promise<() => Promise<void>>
  /** Undefined if another replica writes checkpoints or trims now, or if that is unknown. */
  takeSaver(): Promise<HeldToken | undefined>
  /** The time of the server that leads the stream of coordination, milliseconds since 1970. */
  time(): Promise<number>
  close(): void
}

/**
 * A replica waits at most this long for its turn. The time is longer than the turns of eight other replicas, and so short that a stalled
 * holder does not stop the fleet.
 */
const TURN_WAIT_MS = 100
/** A holder that does not end its turn loses it after this time. A turn usually takes 5 ms plus the append of an entry. */
const TURN_EXPIRY_MS = 500
const CHECKPOINT_WAIT_MS = 500
/** The least time between two attempts to create a lost token again. */
const MIN_RECREATE_INTERVAL_MS = 2_000
const CHECKPOINT_EXPIRY_MS = 10_000

export async function openCoordination(connection: Connection, names: Names, copies: number, timers: Timers): Promise<Coordination> {
  const { coordination: stream, coordinationSubject } = names
  const token = (name: string, heldMs: number) =>
    createToken(connection, { stream, subject: `${coordinationSubject}.${name}`, name, heldMs, copies, timers })
  const turn = token('turn', TURN_EXPIRY_MS)
  const saver = token('saver', CHECKPOINT_EXPIRY_MS)
  const clock = `${coordinationSubject}.clock.${nuid.next()}`
  const make = async (): Promise<void> => {
    await ensureCoordination(connection, coordinationSettings(names), copies)
    await Promise.all([turn.ensure(), saver.ensure()])
  }
  /** The running call that creates a lost stream again. There is one such call at a time. The contents of the stream are not needed. */
  let making: Promise<void> | undefined
  const ensure = (): Promise<void> => {
    making ??= make().finally(() => {
      making = undefined
    })
    return making
  }
  const read = async (): Promise<number> => {
    await connection.request(clock)
    const found = await connection.find(stream, { last_by_subj: clock })
    if (found === null) throw new StoreUnavailableError(`the stream ${stream} has lost the message that was written to read its clock`)
    return stampMs({ stamp: stampOf(found.timestamp) })
  }
  await ensure()
  let lookedAt = timers.now()
  /** Called when a turn did not arrive, because its token is held for longer or is lost. A lost token is created again. */
  const look = (): void => {
    if (timers.now() - lookedAt < MIN_RECREATE_INTERVAL_MS) return
    lookedAt = timers.now()
    void ensure().catch(() => undefined)
  }
  return {
    async takeTurn() {
      const held = await turn.take(TURN_WAIT_MS)
      if (held !== undefined) return async () => held.giveBack()
      look()
      return async () => {}
    },
    async takeSaver() {
      const held = await saver.take(CHECKPOINT_WAIT_MS)
      if (held === undefined) look()
      return held
    },
    async time() {
      try {
        return await read()
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error
        await ensure()
        return read()
      }
    },
    close() {
      turn.close()
      saver.close()
    },
  }
}
