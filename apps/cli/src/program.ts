import { fileURLToPath } from 'node:url'

/**
 * The command for child processes. In a checkout it first builds parts that are older than their sources; a bundle
 * starts itself.
 */
export const PROGRAM = fileURLToPath(new URL(import.meta.url.includes('/dist/') ? 'main.js' : '../bin/gantt.mjs', import.meta.url))

/**
 * The arguments of Node with which every service of the program runs. In the space that Node gives new objects by default, those of one
 * long call do not fit, so they are moved among the old objects, and collecting them takes longer.
 */
export const NODE_ARGUMENTS: readonly string[] = ['--max-semi-space-size=64']
