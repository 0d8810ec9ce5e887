import type { StartEngine } from '../engine.ts'
import { startNats } from './nats.ts'
import { startPostgres } from './postgres.ts'

/** All engines that can be tested, by their names in `--engine`. */
export const engines = { postgres: startPostgres, nats: startNats } satisfies Record<string, StartEngine>

export type EngineName = keyof typeof engines
