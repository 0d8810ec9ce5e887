import { fileURLToPath } from 'node:url'

/**
 * The command for child processes. In a checkout it first builds parts that are older than their sources; a bundle
 * starts itself.
 */
export const PROGRAM = fileURLToPath(new URL(import.meta.url.includes('/dist/') ? 'main.js' : '../bin/gantt.mjs', import.meta.url))

/**
 * The options of Node with which every process of the program runs, in addition to its own: a larger space for new objects, since a
 * small one moves what one call needs to the space for old objects, where collecting it takes longer.
 */
export const NODE_ARGUMENTS: readonly string[] = ['--max-semi-space-size=64']
