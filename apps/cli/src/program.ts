import { fileURLToPath } from 'node:url'

/** The command for child processes. In a checkout it first builds parts that are older than their sources. A bundle starts its own file. */
export const PROGRAM = fileURLToPath(new URL(import.meta.url.includes('/dist/') ? 'main.js' : '../bin/gantt.mjs', import.meta.url))

/**
 * The Node arguments of every service that the program starts. By default, the memory that Node has for new objects is smaller than what
 * one long call needs. These objects are then moved to the old generation, and collecting them takes longer.
 */
export const NODE_ARGUMENTS: readonly string[] = ['--max-semi-space-size=64']
