import type { StartEngine } from '../engine.ts'
import { startNats } from './nats.ts'
import { startPostgres } from './postgres.ts'

/** Every engine that can be attacked, by the name that `--engine` takes. */
export const engines = { postgres: startPostgres, nats: startNats } satisfies Record<string, StartEngine>

export type EngineName = keyof typeof engines
