import { fileURLToPath } from 'node:url'

/**
 * The command for child processes; it first builds parts that are older than their sources. A bundle starts itself:
 * nothing is built while it runs.
 */
export const PROGRAM = fileURLToPath(new URL(import.meta.url.includes('/dist/') ? 'main.js' : '../bin/gantt.mjs', import.meta.url))
