import { fileURLToPath } from 'node:url'

/**
 * The file of the command line, which child processes run. In a checkout, this file first builds packages that are older than their
 * sources. In a release, it is the bundle.
 */
export const PROGRAM = fileURLToPath(new URL(import.meta.url.includes('/dist/') ? 'main.js' : '../bin/gantt.mjs', import.meta.url))

/**
 * The Node arguments of every service that the program starts. They enlarge the memory for new objects. Without them, one long call fills
 * that memory, and Node moves new objects to the old generation, where collecting them takes longer.
 */
export const NODE_ARGUMENTS: readonly string[] = ['--max-semi-space-size=32']
