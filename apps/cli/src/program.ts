import { fileURLToPath } from 'node:url'

/**
 * The command for child processes. In a checkout it first builds parts that are older than their sources; a bundle
 * starts itself.
 */
export const PROGRAM = fileURLToPath(new URL(import.meta.url.includes('/dist/') ? 'main.js' : '../bin/gantt.mjs', import.meta.url))
